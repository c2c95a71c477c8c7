// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "save.h"
#include "state.h"

#define BACKUP	"~"
#define ID_LEN	25	/* of t10_dev_id */

/* Generated identities depend on setup_id, which is set last when a file is applied. */
static void keep_identity(struct node *root, struct node *dev)
{
	const char *setup = attr_value(root, "setup_id");
	unsigned long long setup_id = 0;
	struct attr *attr;
	char id[20], *want;

	if (setup)
		parse_u64(setup, &setup_id);
	generated_id(0, dev->name, id, sizeof(id));
	for_each_attr(attr, dev) {
		if (!strcmp(attr->name, "usn"))
			want = xstrdup(id);
		else if (!strcmp(attr->name, "t10_dev_id") ||
			 !strcmp(attr->name, "vend_specific_id"))
			want = xprintf("%s-%s", id, dev->name);
		else
			continue;
		if (strlen(want) > ID_LEN)
			want[ID_LEN] = '\0';
		if (setup_id || strcmp(want, attr->value))
			attr->flags |= A_KEY;
		free(want);
	}
}

static bool worth(const struct node *node, const struct attr *attr, bool all)
{
	bool creation = (node->kind == N_DEVICE || node->kind == N_TARGET) &&
			takes_param(node->parent, attr->name);

	if (!strcmp(attr->name, "enabled") || !strcmp(attr->name, "hw_target"))
		return node->kind == N_TARGET || node->kind == N_DRIVER;
	if (node->kind == N_LUN)
		return attr->flags & A_KEY;
	if (!(attr->flags & A_READ))
		return false;
	/* A medium brings its size along. */
	if (node->kind == N_DEVICE && !strcmp(attr->name, "size") && attr_find(node, "filename"))
		return false;
	if (all && attr->flags & A_WRITE && strcmp(attr->name, "trace_level"))
		return true;
	return attr->flags & A_KEY && (attr->flags & A_WRITE || creation);
}

/**
 * keep_worth_saving() - leave what a configuration file has
 * @root: what state_read() gave; attributes that are not to be saved go
 * @all: keep all that can be written
 */
void keep_worth_saving(struct node *root, bool all)
{
	struct node *node, *next;
	struct attr *attr, *after;

	for_each_node(node, root)
		if (node->kind == N_DEVICE)
			keep_identity(root, node);
	for (node = root; node; node = next) {
		next = node_next(root, node);
		for (attr = node->attrs; attr; attr = after) {
			after = attr->next;
			if (!worth(node, attr, all)) {
				attr_remove(node, attr);
			} else if (!strcmp(attr->name, "hw_target")) {
				free(attr->name);
				free(attr->value);
				attr->name = xstrdup("HW_TARGET");
				attr->value = xstrdup("");
			}
		}
	}
}

/* ---- the file --------------------------------------------------------- */

static int write_all(int fd, const struct text *text)
{
	size_t done = 0;
	ssize_t n;

	while (done < text->len) {
		n = write(fd, text->s + done, text->len - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		done += n;
	}
	return fsync(fd) ? -errno : 0;
}

static int sync_dir(const char *path)
{
	char *copy = xstrdup(path);
	int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0;

	if (fd < 0 || fsync(fd))
		r = -errno;
	if (fd >= 0)
		close(fd);
	free(copy);
	return r == -EINVAL ? 0 : r;
}

/* The file that there was stays under another name; it is never missing meanwhile. */
static int keep_previous(const char *path)
{
	char *backup = xprintf("%s" BACKUP, path), *temp = xprintf("%s.previous", path);
	int r = 0;

	unlink(temp);
	if (link(path, temp))
		r = errno == ENOENT ? 0 : -errno;
	else if (rename(temp, backup))
		r = -errno;
	free(backup);
	free(temp);
	return r;
}

/**
 * write_config() - replace a file, all at once
 * @path: the file; if there is one already, it is kept as @path~
 * @text: its new content
 *
 * The new file has the mode of the old one, 0600 if there was none: there may be
 * secrets in it.
 *
 * Return: 0 or -errno; after an error the file is what it was before.
 */
int write_config(const char *path, const struct text *text)
{
	char *real = realpath(path, NULL);
	char *target = real ? real : xstrdup(path);
	char *temp = xprintf("%s.XXXXXX", target);
	struct stat st;
	int fd, r;

	fd = mkostemp(temp, O_CLOEXEC);
	r = fd < 0 ? -errno : write_all(fd, text);
	if (!r && !stat(target, &st) &&
	    (fchmod(fd, st.st_mode & 07777) || fchown(fd, st.st_uid, st.st_gid)))
		r = -errno;
	if (fd >= 0)
		close(fd);
	if (!r)
		r = keep_previous(target);
	if (!r && rename(temp, target))
		r = -errno;
	if (!r)
		r = sync_dir(target);
	else if (fd >= 0)
		unlink(temp);
	free(temp);
	free(target);
	return r;
}
