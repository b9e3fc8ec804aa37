// SPDX-License-Identifier: GPL-2.0-only
/* memcache-hello: the program that the test `os` executes. */
#include <stdio.h>

int main(void)
{
	puts("hello");
	return 0;
}
