/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines `key = number`, of which price files consist. */
#ifndef SIM_SETTING_H
#define SIM_SETTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

size_t setting_key_length(const char *text);
const char *setting_value(const char *text, bool known, char *why, size_t room);
bool setting_number(const char *text, const char *value, bool size, uint32_t *number, char *why,
		    size_t room);

#endif /* SIM_SETTING_H */
