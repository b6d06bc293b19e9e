/* SPDX-License-Identifier: MIT */
#include "tests/daemon/journal_vfs.h"

#include <assert.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FILES_MAX 8

struct bytes {
        unsigned char *data;
        size_t n;
};

/* A write or a truncation since the last sync. */
struct change {
        struct change *next;
        bool truncates;
        size_t offset; /* truncation: the new size */
        struct bytes bytes;
};

struct medium_file {
        char name[32];        /* behind the last slash */
        bool exists;
        struct bytes synced;
        struct change *changes, **end;
};

struct picture {
        struct medium_file files[FILES_MAX];
        size_t n;
};

static struct {
        sqlite3_vfs vfs, *real;
        bool registered;
        pthread_mutex_t lock;
        unsigned long operations, failures, fail_from, fail_times, syncs;
        int fail_code;
        unsigned sync_ms;
        bool recording;
        struct medium_file files[FILES_MAX];
        size_t n_files;
        struct picture *pictures;
        size_t n_pictures;
} disk = { .lock = PTHREAD_MUTEX_INITIALIZER };

struct disk_handle {
        sqlite3_file base;
        struct medium_file *medium; /* NULL: shared memory and the like */
        sqlite3_file *real;         /* behind this struct */
};

/* ---- bytes ---- */

static struct bytes copy_bytes(const void *data, size_t n) {
        struct bytes bytes = { .data = malloc(n + 1), .n = n };

        assert(bytes.data);
        if (n)
                memcpy(bytes.data, data, n);
        return bytes;
}

static void resize(struct bytes *bytes, size_t n) {
        bytes->data = realloc(bytes->data, n + 1);
        assert(bytes->data);
        if (n > bytes->n)
                memset(bytes->data + bytes->n, 0, n - bytes->n);
        bytes->n = n;
}

static void apply_change(struct bytes *to, const struct change *change) {
        if (change->truncates) {
                if (change->offset < to->n)
                        resize(to, change->offset);
                return;
        }
        if (change->offset + change->bytes.n > to->n)
                resize(to, change->offset + change->bytes.n);
        memcpy(to->data + change->offset, change->bytes.data, change->bytes.n);
}

static void drop_changes(struct medium_file *file) {
        while (file->changes) {
                struct change *change = file->changes;

                file->changes = change->next;
                free(change->bytes.data);
                free(change);
        }
        file->end = &file->changes;
}

static void add_change(struct medium_file *file, bool truncates, size_t offset, const void *data, size_t n) {
        struct change *change = calloc(1, sizeof *change);

        assert(change);
        change->truncates = truncates;
        change->offset = offset;
        change->bytes = copy_bytes(data, n);
        *file->end = change;
        file->end = &change->next;
}

/* ---- pictures ---- */

static void copy_file(const struct medium_file *from, struct medium_file *to) {
        *to = *from;
        to->synced = copy_bytes(from->synced.data, from->synced.n);
        to->changes = NULL;
        to->end = &to->changes;
        for (const struct change *change = from->changes; change; change = change->next)
                add_change(to, change->truncates, change->offset, change->bytes.data, change->bytes.n);
}

static void take_picture(void) {
        struct picture *picture;

        disk.pictures = realloc(disk.pictures, (disk.n_pictures + 1) * sizeof *disk.pictures);
        assert(disk.pictures);
        picture = &disk.pictures[disk.n_pictures++];
        picture->n = disk.n_files;
        for (size_t i = 0; i < disk.n_files; i++)
                copy_file(&disk.files[i], &picture->files[i]);
        for (size_t i = 0; i < picture->n; i++) /* the array may have moved */
                if (!picture->files[i].changes)
                        picture->files[i].end = &picture->files[i].changes;
}

static unsigned next_random(unsigned *seed) {
        *seed = *seed * 1103515245U + 12345U;
        return *seed >> 16;
}

/* Which of the changes have arrived? A truncation that has not takes with it what came behind. */
static void arrive(struct bytes *bytes, const struct change *changes, unsigned *seed) {
        for (const struct change *change = changes; change; change = change->next) {
                bool arrived = next_random(seed) % 2;

                if (change->truncates && !arrived)
                        return;
                if (arrived)
                        apply_change(bytes, change);
        }
}

void disk_restore(size_t n, const char *directory, unsigned seed) {
        const struct picture *picture = &disk.pictures[n];

        for (size_t i = 0; i < picture->n; i++) {
                const struct medium_file *file = &picture->files[i];
                struct bytes bytes = copy_bytes(file->synced.data, file->synced.n);
                char path[256];
                FILE *out;

                snprintf(path, sizeof path, "%s/%s", directory, file->name);
                if (seed)
                        arrive(&bytes, file->changes, &seed);
                if (file->exists) {
                        out = fopen(path, "w");
                        assert(out && fwrite(bytes.data, 1, bytes.n, out) == bytes.n);
                        fclose(out);
                } else {
                        remove(path);
                }
                free(bytes.data);
        }
}

/* ---- operations ---- */

/* Return: SQLITE_OK, or the code with which this operation fails. */
static int operation(void) {
        int r = SQLITE_OK;

        pthread_mutex_lock(&disk.lock);
        disk.operations++;
        if (disk.fail_from && disk.operations >= disk.fail_from && disk.operations - disk.fail_from < disk.fail_times) {
                disk.failures++;
                r = disk.fail_code;
        }
        pthread_mutex_unlock(&disk.lock);
        return r;
}

static int disk_close(sqlite3_file *file) {
        struct disk_handle *handle = (struct disk_handle *) file;

        return handle->real->pMethods ? handle->real->pMethods->xClose(handle->real) : SQLITE_OK;
}

static int disk_read(sqlite3_file *file, void *to, int n, sqlite3_int64 offset) {
        struct disk_handle *handle = (struct disk_handle *) file;
        int r = operation();

        return r == SQLITE_OK ? handle->real->pMethods->xRead(handle->real, to, n, offset) : r == SQLITE_FULL ? SQLITE_IOERR_READ : r;
}

static int disk_write(sqlite3_file *file, const void *from, int n, sqlite3_int64 offset) {
        struct disk_handle *handle = (struct disk_handle *) file;
        int r = operation();

        if (r == SQLITE_OK)
                r = handle->real->pMethods->xWrite(handle->real, from, n, offset);
        if (r == SQLITE_OK && handle->medium) {
                pthread_mutex_lock(&disk.lock);
                if (disk.recording)
                        add_change(handle->medium, false, (size_t) offset, from, (size_t) n);
                pthread_mutex_unlock(&disk.lock);
        }
        return r;
}

static int disk_truncate(sqlite3_file *file, sqlite3_int64 size) {
        struct disk_handle *handle = (struct disk_handle *) file;
        int r = operation();

        if (r == SQLITE_OK)
                r = handle->real->pMethods->xTruncate(handle->real, size);
        if (r == SQLITE_OK && handle->medium) {
                pthread_mutex_lock(&disk.lock);
                if (disk.recording)
                        add_change(handle->medium, true, (size_t) size, NULL, 0);
                pthread_mutex_unlock(&disk.lock);
        }
        return r;
}

static int disk_sync(sqlite3_file *file, int flags) {
        struct disk_handle *handle = (struct disk_handle *) file;
        int r = operation();

        if (disk.sync_ms)
                nanosleep(&(struct timespec){ .tv_sec = disk.sync_ms / 1000, .tv_nsec = disk.sync_ms % 1000 * 1000000L }, NULL);
        if (r != SQLITE_OK)
                return r;

        pthread_mutex_lock(&disk.lock);
        disk.syncs++;
        if (handle->medium && disk.recording) {
                for (struct change *change = handle->medium->changes; change; change = change->next)
                        apply_change(&handle->medium->synced, change);
                drop_changes(handle->medium);
                take_picture();
        }
        pthread_mutex_unlock(&disk.lock);
        return SQLITE_OK; /* the machine under the test is not cut */
}

static int disk_size(sqlite3_file *file, sqlite3_int64 *ret) {
        struct disk_handle *handle = (struct disk_handle *) file;
        int r = operation();

        return r == SQLITE_OK ? handle->real->pMethods->xFileSize(handle->real, ret) : r == SQLITE_FULL ? SQLITE_IOERR_FSTAT : r;
}

static int disk_lock(sqlite3_file *file, int level) {
        struct disk_handle *handle = (struct disk_handle *) file;

        return handle->real->pMethods->xLock(handle->real, level);
}

static int disk_unlock(sqlite3_file *file, int level) {
        struct disk_handle *handle = (struct disk_handle *) file;

        return handle->real->pMethods->xUnlock(handle->real, level);
}

static int disk_check_lock(sqlite3_file *file, int *ret) {
        struct disk_handle *handle = (struct disk_handle *) file;

        return handle->real->pMethods->xCheckReservedLock(handle->real, ret);
}

static int disk_control(sqlite3_file *file, int op, void *arg) {
        struct disk_handle *handle = (struct disk_handle *) file;

        return handle->real->pMethods->xFileControl(handle->real, op, arg);
}

static int disk_sector(sqlite3_file *file) {
        struct disk_handle *handle = (struct disk_handle *) file;

        return handle->real->pMethods->xSectorSize(handle->real);
}

static int disk_characteristics(sqlite3_file *file) {
        return 0; /* promises nothing */
}

static int disk_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **ret) {
        struct disk_handle *handle = (struct disk_handle *) file;
        int r = operation();

        return r == SQLITE_OK ? handle->real->pMethods->xShmMap(handle->real, page, size, extend, ret) : r == SQLITE_FULL ? SQLITE_IOERR_SHMMAP : r;
}

static int disk_shm_lock(sqlite3_file *file, int offset, int n, int flags) {
        struct disk_handle *handle = (struct disk_handle *) file;

        return handle->real->pMethods->xShmLock(handle->real, offset, n, flags);
}

static void disk_shm_barrier(sqlite3_file *file) {
        struct disk_handle *handle = (struct disk_handle *) file;

        handle->real->pMethods->xShmBarrier(handle->real);
}

static int disk_shm_unmap(sqlite3_file *file, int delete) {
        struct disk_handle *handle = (struct disk_handle *) file;

        return handle->real->pMethods->xShmUnmap(handle->real, delete);
}

static const sqlite3_io_methods methods = {
        .iVersion = 2,
        .xClose = disk_close,
        .xRead = disk_read,
        .xWrite = disk_write,
        .xTruncate = disk_truncate,
        .xSync = disk_sync,
        .xFileSize = disk_size,
        .xLock = disk_lock,
        .xUnlock = disk_unlock,
        .xCheckReservedLock = disk_check_lock,
        .xFileControl = disk_control,
        .xSectorSize = disk_sector,
        .xDeviceCharacteristics = disk_characteristics,
        .xShmMap = disk_shm_map,
        .xShmLock = disk_shm_lock,
        .xShmBarrier = disk_shm_barrier,
        .xShmUnmap = disk_shm_unmap,
};

/* ---- the VFS ---- */

static struct medium_file *find_medium(const char *path) {
        const char *name = strrchr(path, '/');
        struct medium_file *file;

        name = name ? name + 1 : path;
        for (size_t i = 0; i < disk.n_files; i++)
                if (strcmp(disk.files[i].name, name) == 0)
                        return &disk.files[i];
        assert(disk.n_files < FILES_MAX);
        file = &disk.files[disk.n_files++];
        snprintf(file->name, sizeof file->name, "%s", name);
        file->end = &file->changes;
        return file;
}

static int disk_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *ret_flags) {
        struct disk_handle *handle = (struct disk_handle *) file;
        int r = operation();

        handle->real = (sqlite3_file *) (handle + 1);
        handle->base.pMethods = NULL;
        if (r != SQLITE_OK)
                return SQLITE_CANTOPEN;
        r = disk.real->xOpen(disk.real, path, handle->real, flags, ret_flags);
        if (r != SQLITE_OK)
                return r;

        handle->base.pMethods = &methods;
        pthread_mutex_lock(&disk.lock);
        handle->medium = path ? find_medium(path) : NULL;
        if (handle->medium)
                handle->medium->exists = true;
        pthread_mutex_unlock(&disk.lock);
        return SQLITE_OK;
}

/* A deletion arrives at once: worse than what happens, as nothing that was in the file can be had back. */
static int disk_delete(sqlite3_vfs *vfs, const char *path, int sync_directory) {
        int r = operation();

        if (r != SQLITE_OK)
                return SQLITE_IOERR_DELETE;
        pthread_mutex_lock(&disk.lock);
        if (disk.recording) {
                struct medium_file *file = find_medium(path);

                drop_changes(file);
                file->synced.n = 0;
                file->exists = false;
                take_picture();
        }
        pthread_mutex_unlock(&disk.lock);
        return disk.real->xDelete(disk.real, path, sync_directory);
}

static int disk_access(sqlite3_vfs *vfs, const char *path, int flags, int *ret) {
        return disk.real->xAccess(disk.real, path, flags, ret);
}

void disk_init(void) {
        if (!disk.registered) {
                disk.real = sqlite3_vfs_find(NULL);
                disk.vfs = *disk.real;
                disk.vfs.zName = TEST_DISK;
                disk.vfs.szOsFile = (int) sizeof(struct disk_handle) + disk.real->szOsFile;
                disk.vfs.xOpen = disk_open;
                disk.vfs.xDelete = disk_delete;
                disk.vfs.xAccess = disk_access;
                disk.registered = sqlite3_vfs_register(&disk.vfs, 0) == SQLITE_OK;
        }
        disk_done();
}

static void free_file(struct medium_file *file) {
        drop_changes(file);
        free(file->synced.data);
        *file = (struct medium_file){ 0 };
}

void disk_done(void) {
        for (size_t i = 0; i < disk.n_pictures; i++)
                for (size_t k = 0; k < disk.pictures[i].n; k++)
                        free_file(&disk.pictures[i].files[k]);
        free(disk.pictures);
        disk.pictures = NULL;
        disk.n_pictures = 0;
        for (size_t i = 0; i < disk.n_files; i++)
                free_file(&disk.files[i]);
        disk.n_files = 0;
        disk.recording = false;
        disk.sync_ms = 0;
        disk.syncs = 0;
        disk_fail(0, 0, 0);
}

void disk_fail(unsigned long n, unsigned long times, int code) {
        pthread_mutex_lock(&disk.lock);
        disk.operations = disk.failures = 0;
        disk.fail_from = n;
        disk.fail_times = times;
        disk.fail_code = code;
        pthread_mutex_unlock(&disk.lock);
}

unsigned long disk_operations(void) {
        return disk.operations;
}

unsigned long disk_failures(void) {
        return disk.failures;
}

void disk_slow(unsigned sync_ms) {
        disk.sync_ms = sync_ms;
}

unsigned long disk_syncs(void) {
        return disk.syncs;
}

void disk_record(bool record) {
        disk.recording = record;
}

size_t disk_pictures(void) {
        return disk.n_pictures;
}

void disk_picture(void) {
        pthread_mutex_lock(&disk.lock);
        take_picture();
        pthread_mutex_unlock(&disk.lock);
}
