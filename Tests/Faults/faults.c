// Makes writes and syncs of the gateway's database fail while a test says so, as a dying disk would, and moves a program's
// wall clock.
//
// Loaded with LD_PRELOAD, so that any user can run the tests: neither a mount nor ptrace is needed. FAULTS_FILE names a file of
// 16 bytes that is mapped: the errno of the next syncs and that of the next writes, 0 for none, 255 for a device that does
// not answer until it is told otherwise; at byte 2 whether arrays of C++ of more than 3 MiB get no memory; and at byte 8 the seconds by which the wall clock is off, as a 64-bit integer.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned char *faults;

__attribute__((constructor)) static void map_faults(void) {
    const char *path = getenv("FAULTS_FILE");
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0) return;
    void *mapped = mmap(NULL, 16, PROT_READ, MAP_SHARED, fd, 0);
    if (mapped != MAP_FAILED) faults = mapped;
    close(fd);
}

static int fault(int kind, int fd) {
    char link[64], path[4096];
    if (!faults || !faults[kind]) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    if (!strstr(path, "/switchboard.sqlite")) return 0;
    while (faults[kind] == 255) usleep(10000);
    return faults[kind];
}

#define FAIL(kind) \
    int error = fault(kind, fd); \
    if (error) { errno = error; return -1; }

int fdatasync(int fd) { FAIL(0) return syscall(SYS_fdatasync, fd); }
int fsync(int fd) { FAIL(0) return syscall(SYS_fsync, fd); }
ssize_t write(int fd, const void *bytes, size_t count) { FAIL(1) return syscall(SYS_write, fd, bytes, count); }
ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
    FAIL(1) return syscall(SYS_pwrite64, fd, bytes, count, at);
}
ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) { return pwrite64(fd, bytes, count, at); }

// What C++ calls for an array where it takes nullptr for an answer (Itanium C++ ABI: operator new[](size_t, nothrow_t const &)).
void *_ZnamRKSt9nothrow_t(size_t size, const void *tag) {
    if (faults && faults[2] && size > 3 << 20) return NULL;
    void *(*next)(size_t, const void *) = dlsym(RTLD_NEXT, "_ZnamRKSt9nothrow_t");
    return next ? next(size, tag) : malloc(size);
}

static time_t seconds_off(void) { return faults ? (time_t)*(volatile long long *)(faults + 8) : 0; }

int clock_gettime(clockid_t clock, struct timespec *now) {
    int result = syscall(SYS_clock_gettime, clock, now);
    if (!result && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += seconds_off();
    return result;
}

int gettimeofday(struct timeval *now, void *zone) {
    int result = syscall(SYS_gettimeofday, now, zone);
    if (!result) now->tv_sec += seconds_off();
    return result;
}

time_t time(time_t *now) {
    struct timespec real;
    clock_gettime(CLOCK_REALTIME, &real);
    if (now) *now = real.tv_sec;
    return real.tv_sec;
}
