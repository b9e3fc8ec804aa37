// SPDX-License-Identifier: GPL-2.0-only
/*
 * A library of CUDA's driver, of a machine with one GPU and no write-combining memory. Each
 * call is a line in the file that CUDA_LOG names. CUDA_FAILS names the call that fails.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t had;

/* Return: the error of the call. */
static int note(const char *call, unsigned long argument)
{
	int fd = open(getenv("CUDA_LOG"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	const char *fails = getenv("CUDA_FAILS");

	dprintf(fd, "%s %lu\n", call, argument);
	close(fd);
	return fails && !strcmp(fails, call) ? 100 : 0;
}

int cuInit(unsigned int flags)
{
	return note("cuInit", flags);
}

int cuGetErrorString(int error, const char **text)
{
	*text = error == 101 ? "invalid device ordinal" : "no CUDA-capable device is detected";
	return 0;
}

int cuDeviceGet(int *device, int number)
{
	*device = 40 + number;
	return number ? 101 : note("cuDeviceGet", number);
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
	*context = &had;
	return note("cuDevicePrimaryCtxRetain", device);
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
	return note("cuDevicePrimaryCtxRelease", device);
}

int cuCtxSetCurrent(void *context)
{
	return note("cuCtxSetCurrent", context == &had);
}

int cuMemHostAlloc(void **memory, size_t bytes, unsigned int flags)
{
	int error = note("cuMemHostAlloc", flags);

	had = bytes;
	if (!error)
		*memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			       -1, 0);
	return error;
}

int cuMemFreeHost(void *memory)
{
	munmap(memory, had);
	return note("cuMemFreeHost", 0);
}
