// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tree.h"

#define ROOT		"/sys/kernel/scst_tgt"
#define RESULT		"last_sysfs_mgmt_res"
#define READ_TRIES	50		/* of 100 ms, while a read says EAGAIN */
#define RESULT_TRIES	3000		/* of 100 ms, for an operation that goes on */

int (*tree_test_hook)(struct tree *tree, const char *path, const char *data);
void *tree_test_data;

/**
 * tree_open() - find the tree
 * @tree: filled in
 * @root: where it is; NULL: where the kernel has it, or $SKUAADM_ROOT in tests
 *
 * Return: 0 or -errno: -ENOENT if the core is not loaded.
 */
int tree_open(struct tree *tree, const char *root)
{
	memset(tree, 0, sizeof(*tree));
	if (!root)
		root = getenv("SKUAADM_ROOT");
	tree->root = xstrdup(root && *root ? root : ROOT);
	tree->kmsg = -1;
	tree->hook = tree_test_hook;
	tree->hook_data = tree_test_data;
	tree->fd = open(tree->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (tree->fd < 0)
		return -errno;
	tree->kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return 0;
}

void tree_close(struct tree *tree)
{
	if (tree->fd >= 0)
		close(tree->fd);
	if (tree->kmsg >= 0)
		close(tree->kmsg);
	free(tree->root);
	free(tree->reason);
	memset(tree, 0, sizeof(*tree));
	tree->fd = -1;
	tree->kmsg = -1;
}

/* Keeps other instances out until tree_close(). */
int tree_lock(struct tree *tree)
{
	if (!flock(tree->fd, LOCK_EX | LOCK_NB))
		return 0;
	if (errno != EWOULDBLOCK)
		return -errno;
	fputs("skuaadm: another one is at work, waiting for it\n", stderr);
	return flock(tree->fd, LOCK_EX) ? -errno : 0;
}

static void pause_100ms(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
}

/**
 * tree_read() - a whole file
 * @tree: the tree
 * @path: the file
 * @out: content is added to it
 *
 * Return: 0 or -errno.
 */
int tree_read(struct tree *tree, const char *path, struct text *out)
{
	unsigned int tries = 0;
	char buf[4096];
	ssize_t n;
	int fd;

	do {
		fd = openat(tree->fd, path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return -errno;
		while ((n = read(fd, buf, sizeof(buf))) > 0)
			text_put(out, buf, n);
		n = n < 0 ? -errno : 0;
		close(fd);
		if (n == -EAGAIN)
			pause_100ms();
	} while (n == -EAGAIN && ++tries < READ_TRIES);
	text_put(out, "", 0);
	return n;
}

/**
 * tree_value() - the first line of a file
 * @tree: the tree
 * @path: the file
 * @key: optional: set to whether the second line is the mark "[key]"
 *
 * Return: for free(); NULL with errno.
 */
char *tree_value(struct tree *tree, const char *path, bool *key)
{
	struct text t = { 0 };
	size_t len;
	int r = tree_read(tree, path, &t);

	if (r) {
		text_free(&t);
		errno = -r;
		return NULL;
	}
	len = strcspn(t.s, "\n");
	if (key)
		*key = !strncmp(t.s + len, "\n[key]", 6);
	t.s[len] = '\0';
	return t.s;
}

/* The name that a link leads to */
char *tree_link(struct tree *tree, const char *path)
{
	char buf[4096], *slash;
	ssize_t n = readlinkat(tree->fd, path, buf, sizeof(buf) - 1);

	if (n <= 0)
		return NULL;
	buf[n] = '\0';
	slash = strrchr(buf, '/');
	return xstrdup(slash ? slash + 1 : buf);
}

bool tree_exists(struct tree *tree, const char *path)
{
	return !faccessat(tree->fd, path, F_OK, AT_SYMLINK_NOFOLLOW);
}

bool tree_number(struct tree *tree, const char *path, unsigned long long *value)
{
	char *s = tree_value(tree, path, NULL);
	bool ok = s && parse_u64(s, value);

	free(s);
	return ok;
}

/* ---- writing ---------------------------------------------------------- */

/* Keeps what the kernel said of its own accord since the last lseek(). */
static void fetch_reason(struct tree *tree)
{
	struct text t = { 0 };
	char buf[2048], *line;
	ssize_t n;

	free(tree->reason);
	tree->reason = NULL;
	if (tree->kmsg < 0)
		return;
	for (;;) {
		n = read(tree->kmsg, buf, sizeof(buf) - 1);
		if (n < 0 && errno == EPIPE)
			continue;
		if (n <= 0)
			break;
		buf[n] = '\0';
		line = strchr(buf, ';');
		if (!line || strncmp(line + 1, "skua", 4) != 0)
			continue;
		line += 1 + strcspn(line + 1, " ") + 1;	/* without "skua: " */
		line[strcspn(line, "\n")] = '\0';
		text_add(&t, "%s%s", t.len ? "; " : "", line);
	}
	if (t.len)
		tree->reason = text_take(&t);
}

/* An operation goes on by itself: its end. */
static int wait_result(struct tree *tree)
{
	unsigned int tries;
	char *s;

	for (tries = 0; tries < RESULT_TRIES; tries++) {
		s = tree_value(tree, RESULT, NULL);
		if (s) {
			long r = strtol(s, NULL, 10);

			free(s);
			return r < 0 ? r : 0;
		}
		if (errno != EAGAIN)
			return -errno;
		pause_100ms();
	}
	return -ETIMEDOUT;
}

static int do_write(struct tree *tree, const char *path, const char *data)
{
	size_t len = strlen(data);
	ssize_t n;
	int fd, r;

	if (tree->hook)
		return tree->hook(tree, path, data);
	fd = openat(tree->fd, path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = write(fd, data, len);
	r = n < 0 ? -errno : (size_t)n == len ? 0 : -EIO;
	close(fd);
	return r;
}

/**
 * tree_write() - one write to a file, and the end of what it starts
 * @tree: the tree; its reason is set after an error, if the kernel gave one
 * @path: the file
 * @data: all of it in one write
 *
 * Return: 0 or -errno.
 */
int tree_write(struct tree *tree, const char *path, const char *data)
{
	int r;

	if (tree->show_writes) {
		printf("\"%s\" > %s/%s\n", data, tree->root, path);
		return 0;
	}
	free(tree->reason);
	tree->reason = NULL;
	if (tree->kmsg >= 0)
		lseek(tree->kmsg, 0, SEEK_END);
	r = do_write(tree, path, data);
	if (r == -EAGAIN)
		r = wait_result(tree);
	if (r)
		fetch_reason(tree);
	return r;
}

/* ---- directories ------------------------------------------------------ */

static int compare(const void *a, const void *b)
{
	return name_cmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

/**
 * tree_list() - what is in a directory, sorted by name
 * @tree: the tree
 * @path: the directory
 * @out: zeroed; filled in; entries_free()
 *
 * Return: 0 or -errno.
 */
int tree_list(struct tree *tree, const char *path, struct entries *out)
{
	int fd = openat(tree->fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct dirent *d;
	struct stat st;
	DIR *dir;

	if (fd < 0)
		return -errno;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return -ENOMEM;
	}
	while ((d = readdir(dir))) {
		if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, "..") ||
		    fstatat(fd, d->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		if (out->nr == out->room) {
			out->room = out->room ? out->room * 2 : 32;
			out->v = xrealloc(out->v, out->room, sizeof(*out->v));
		}
		out->v[out->nr++] = (struct entry){ xstrdup(d->d_name), st.st_mode, st.st_ino };
	}
	closedir(dir);
	if (out->nr)
		qsort(out->v, out->nr, sizeof(*out->v), compare);
	return 0;
}

void entries_free(struct entries *list)
{
	while (list->nr)
		free(list->v[--list->nr].name);
	free(list->v);
	memset(list, 0, sizeof(*list));
}

/* Such as EINVAL */
const char *error_name(int error)
{
	const char *name = strerrorname_np(error);

	return name ? name : "unknown error";
}
