// SPDX-License-Identifier: GPL-2.0-only
#include "controller.h"

/**
 * controller_serve() - serve a request after those before it
 * @c: the controller
 * @now: time of the request, not before that of the last one
 * @service: how long it takes
 *
 * Return: how long it waits before it is served.
 */
uint64_t controller_serve(struct controller *c, int64_t now, uint32_t service)
{
	int64_t start = now > c->free_at ? now : c->free_at, into;

	if (c->refresh_every && c->refresh) {
		into = start % c->refresh_every;
		if (into < c->refresh)
			start += c->refresh - into;
	}
	if (service)
		c->free_at = start + service;
	return start - now;
}
