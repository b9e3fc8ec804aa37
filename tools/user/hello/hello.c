// SPDX-License-Identifier: GPL-2.0-only
/* memcache-hello: what the test `os` executes. */
#include <stdio.h>

int main(void)
{
	puts("hello");
	return 0;
}
