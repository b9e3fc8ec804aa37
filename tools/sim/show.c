// SPDX-License-Identifier: GPL-2.0-only
/*
 * show FILE
 * Print a price file as a JSON object, or say what is wrong with it.
 */
#include "prices.h"

int main(int argc, char **argv)
{
	struct prices prices = { 0 };
	char why[512];

	if (argc != 2) {
		fprintf(stderr, "usage: show FILE\n");
		return 2;
	}
	if (!prices_read(&prices, argv[1], why, sizeof(why))) {
		fprintf(stderr, "%s\n", why);
		return 1;
	}
	prices_print(&prices, stdout);
	putchar('\n');
	return 0;
}
