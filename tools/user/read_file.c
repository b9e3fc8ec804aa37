// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <unistd.h>

#include "user.h"

/* Read the first @size - 1 bytes of a file; newlines at the end are removed. */
bool mc_user_read_file(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, size - 1);

	if (fd >= 0)
		close(fd);
	if (n < 0)
		return false;
	while (n && buf[n - 1] == '\n')
		n--;
	buf[n] = '\0';
	return true;
}
