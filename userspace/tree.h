/* SPDX-License-Identifier: GPL-2.0 */
/* Files below /sys/kernel/scst_tgt. All paths are relative to it. */
#ifndef SKUAADM_TREE_H
#define SKUAADM_TREE_H

#include "util.h"

struct tree {
	char *root;
	int fd;			/* of the root directory */
	int kmsg;		/* the kernel log, or -1 */
	char *reason;		/* what the kernel logged about the last failed write */
	bool show_writes;	/* print instead of doing */
	/* in tests: what a kernel would do about a write; 0 or -errno */
	int (*hook)(struct tree *tree, const char *path, const char *data);
	void *hook_data;
};

/* What tree_open() takes for the hook; NULL but in tests */
extern int (*tree_test_hook)(struct tree *tree, const char *path, const char *data);
extern void *tree_test_data;

struct entry {
	char *name;
	unsigned int mode;	/* as of lstat() */
	unsigned long long ino;
};

struct entries {
	struct entry *v;
	size_t nr, room;
};

int tree_open(struct tree *tree, const char *root);
void tree_close(struct tree *tree);
int tree_lock(struct tree *tree);

int tree_read(struct tree *tree, const char *path, struct text *out);
char *tree_value(struct tree *tree, const char *path, bool *key);
char *tree_link(struct tree *tree, const char *path);
bool tree_exists(struct tree *tree, const char *path);
bool tree_number(struct tree *tree, const char *path, unsigned long long *value);
int tree_write(struct tree *tree, const char *path, const char *data);
int tree_list(struct tree *tree, const char *path, struct entries *out);
void entries_free(struct entries *list);

const char *error_name(int error);

#endif
