// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "object.h"

#define MAX_PARTS	8

static const char *const tops[] = {
	"handlers", "devices", "targets", "device_groups", "sgv",
};

static bool is_top(const char *word, size_t len)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tops); i++)
		if (strlen(tops[i]) == len && !strncmp(word, tops[i], len))
			return true;
	return false;
}

static bool there(struct tree *tree, const char *top, const char *rest)
{
	char *path = xprintf("%s/%s", top, rest);
	bool yes = tree_exists(tree, path);

	free(path);
	return yes;
}

/* The drivers that have a target of this name; the last one's is @driver, for free(). */
static unsigned int drivers_of(struct tree *tree, const char *target, char **driver)
{
	struct entries list = { 0 };
	unsigned int nr = 0;
	size_t i;

	*driver = NULL;
	tree_list(tree, "targets", &list);
	for (i = 0; i < list.nr; i++) {
		char *path = xprintf("targets/%s/%s", list.v[i].name, target);

		if (S_ISDIR(list.v[i].mode) && tree_exists(tree, path)) {
			free(*driver);
			*driver = xstrdup(list.v[i].name);
			nr++;
		}
		free(path);
	}
	entries_free(&list);
	return nr;
}

/**
 * object_path() - what a user means
 * @tree: the tree
 * @word: a path below its root; or DEVICE, DRIVER[/...] or TARGET[/...] where that is clear
 * @why: set to what is wrong if NULL is returned; for free()
 *
 * Return: the path, for free(). What it leads to need not exist.
 */
char *object_path(struct tree *tree, const char *word, char **why)
{
	size_t first;
	char *head, *driver, *path = NULL;
	unsigned int nr;
	size_t len = strlen(tree->root);

	if (!strncmp(word, tree->root, len) && (word[len] == '/' || !word[len]))
		word += len;
	word += strspn(word, "/");
	if (!*word || !strcmp(word, "."))
		return xstrdup(".");
	first = strcspn(word, "/");
	if (is_top(word, first)) {
		path = xstrdup(word);
	} else if (!word[first] && there(tree, "devices", word)) {
		path = xprintf("devices/%s", word);
	} else {
		head = xstrndup(word, first);
		nr = drivers_of(tree, head, &driver);
		if (there(tree, "targets", head))
			path = xprintf("targets/%s", word);
		else if (nr == 1)
			path = xprintf("targets/%s/%s", driver, word);
		else if (nr)
			*why = xprintf("%u drivers have a target %s: say which, as DRIVER/%s", nr,
				       head, head);
		else
			*why = xprintf("there is no device, driver or target %s", head);
		free(driver);
		free(head);
	}
	if (path && path[strlen(path) - 1] == '/')
		path[strlen(path) - 1] = '\0';
	return path;
}

static struct node *below(struct node *parent, enum kind kind, const char *name)
{
	struct node *node = node_new(kind, name);

	node_add(parent, node);
	return node;
}

static struct node *target_nodes(struct node *node, char **part, unsigned int nr)
{
	unsigned int at = 3;

	node = below(node, N_DRIVER, part[1]);
	if (nr == 2)
		return node;
	node = below(node, N_TARGET, part[2]);
	if (nr >= 5 && !strcmp(part[3], "ini_groups")) {
		node = below(node, N_GROUP, part[4]);
		at = 5;
	}
	if (nr == at)
		return node;
	if (nr == at + 2 && !strcmp(part[at], "luns"))
		return below(node, N_LUN, part[at + 1]);
	if (nr == at + 2 && at == 5 && !strcmp(part[at], "initiators"))
		return below(node, N_INITIATOR, part[at + 1]);
	return NULL;
}

static struct node *group_nodes(struct node *node, char **part, unsigned int nr)
{
	node = below(node, N_DEVICE_GROUP, part[1]);
	if (nr == 2)
		return node;
	if (nr == 4 && !strcmp(part[2], "devices"))
		return below(node, N_DG_DEVICE, part[3]);
	if ((nr == 4 || nr == 5) && !strcmp(part[2], "target_groups")) {
		node = below(node, N_TARGET_GROUP, part[3]);
		return nr == 4 ? node : below(node, N_TG_TARGET, part[4]);
	}
	return NULL;
}

static struct node *device_nodes(struct tree *tree, struct node *root, const char *name)
{
	char *path = xprintf("devices/%s/handler", name);
	char *handler = tree_link(tree, path);
	struct node *leaf = NULL;

	if (handler)
		leaf = below(below(root, N_HANDLER, handler), N_DEVICE, name);
	free(handler);
	free(path);
	return leaf;
}

static struct node *find_leaf(struct tree *tree, struct node *root, char **part, unsigned int nr)
{
	if (nr == 1 && !strcmp(part[0], "."))
		return root;
	if (nr >= 2 && !strcmp(part[0], "targets"))
		return target_nodes(root, part, nr);
	if (nr >= 2 && !strcmp(part[0], "device_groups"))
		return group_nodes(root, part, nr);
	if (nr == 2 && !strcmp(part[0], "devices"))
		return device_nodes(tree, root, part[1]);
	if (nr >= 2 && nr <= 3 && !strcmp(part[0], "handlers")) {
		root = below(root, N_HANDLER, part[1]);
		return nr == 2 ? root : below(root, N_DEVICE, part[2]);
	}
	return NULL;
}

/**
 * object_nodes() - a configuration that has one object and what it is in
 * @tree: the tree
 * @path: as object_path() gives it
 * @leaf: set to the object
 * @why: set to what is wrong if NULL is returned; for free()
 *
 * Return: the root, for node_free().
 */
struct node *object_nodes(struct tree *tree, const char *path, struct node **leaf, char **why)
{
	struct node *root = node_new(N_ROOT, NULL);
	char *copy = xstrdup(path), *rest = copy, *part[MAX_PARTS], *word;
	unsigned int nr = 0;

	*leaf = NULL;
	while ((word = strsep(&rest, "/")) && nr < MAX_PARTS)
		part[nr++] = word;
	if (!word)
		*leaf = find_leaf(tree, root, part, nr);
	free(copy);
	if (*leaf)
		return root;
	*why = xprintf("%s is no object that can be configured", path);
	node_free(root);
	return NULL;
}
