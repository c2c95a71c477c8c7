/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A directory that answers to writes as the kernel's tree does: mgmt commands make and
 * remove directories, attributes take values and the mark [key].
 */
#ifndef ADM_KERNEL_H
#define ADM_KERNEL_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "state.h"
#include "tree.h"

struct kernel {
	char root[64], defaults[80];
	int writes;		/* since they were last counted */
	int fail_at;		/* that write fails; -1: none */
	int error;		/* with that */
};

static char *k_path(const char *dir, const char *path)
{
	char *s = xprintf("%s/%s", dir, path), *c;

	for (c = s + strlen(dir) + 1; strcmp(dir + strlen(dir) - 4, ".def") == 0 && *c; c++)
		if (*c == '/')
			*c = '|';
	return s;
}

static char *k_load(const char *dir, const char *path)
{
	char *full = k_path(dir, path), *text;
	size_t len;

	text = read_all(full, &len);
	free(full);
	return text;
}

static void k_store(const char *dir, const char *path, const char *text, int mode)
{
	char *full = k_path(dir, path);
	FILE *f = fopen(full, "w");

	if (!f)
		abort();
	fputs(text, f);
	fclose(f);
	chmod(full, mode);
	free(full);
}

/* A new file with its default; @key: marked whatever its value is */
static void k_file(struct kernel *k, const char *dir, const char *name, int mode,
		   const char *value, bool key)
{
	char *path = xprintf("%s/%s", dir, name);
	char *text = xprintf("%s\n%s", value, key ? "[key]\n" : "");

	k_store(k->root, path, text, mode);
	k_store(k->defaults, path, key ? "\001" : value, 0600);
	free(text);
	free(path);
}

static void k_dir(struct kernel *k, const char *path)
{
	char *full = k_path(k->root, path);

	if (mkdir(full, 0755))
		abort();
	free(full);
}

static void k_subdir(struct kernel *k, const char *dir, const char *name, const char *mgmt)
{
	char *path = xprintf("%s/%s", dir, name);

	k_dir(k, path);
	if (mgmt)
		k_file(k, path, "mgmt", 0644, mgmt, false);
	free(path);
}

static bool k_has(struct kernel *k, const char *format, ...)
{
	char *path, *full;
	struct stat st;
	va_list ap;
	bool yes;

	va_start(ap, format);
	if (vasprintf(&path, format, ap) < 0)
		abort();
	va_end(ap);
	full = k_path(k->root, path);
	yes = !lstat(full, &st);
	free(full);
	free(path);
	return yes;
}

static int k_unlink_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static void k_remove(struct kernel *k, const char *path)
{
	char *full = k_path(k->root, path);

	nftw(full, k_unlink_one, 16, FTW_DEPTH | FTW_PHYS);
	free(full);
}

static void k_link(struct kernel *k, const char *path, const char *to)
{
	char *full = k_path(k->root, path);

	if (symlink(to, full))
		abort();
	free(full);
}

/* name=value of a list, or NULL; for free() */
static char *k_param(const char *list, const char *name)
{
	size_t len = strlen(name);

	while (list && *list) {
		size_t n = strcspn(list, ";");

		if (!strncmp(list, name, len) && list[len] == '=')
			return xstrndup(list + len + 1, n - len - 1);
		list += n + (list[n] == ';');
	}
	return NULL;
}

static void k_from_param(struct kernel *k, const char *dir, const char *list, const char *name,
			 int mode, const char *value)
{
	char *given = k_param(list, name);

	k_file(k, dir, name, mode, value, false);
	if (given) {
		char *path = xprintf("%s/%s", dir, name);
		char *text = xprintf("%s\n%s", given, strcmp(given, value) ? "[key]\n" : "");

		k_store(k->root, path, text, mode);
		free(text);
		free(path);
	}
	free(given);
}

/* Handlers whose devices have a medium */
static bool k_has_param(struct kernel *k, const char *handler, const char *name)
{
	char *path = xprintf("handlers/%s/mgmt", handler), *text = k_load(k->root, path);
	bool yes = text && strstr(text, name);

	free(text);
	free(path);
	return yes;
}

static int k_add_device(struct kernel *k, const char *handler, const char *name, const char *list)
{
	bool block = k_has_param(k, handler, "filename");
	char *dir = xprintf("devices/%s", name), *link, *filename = k_param(list, "filename");
	char id[20], *dev_id;

	if (k_has(k, "%s", dir) || (block && (!filename || !strncmp(filename, "/nowhere", 8)))) {
		int r = k_has(k, "%s", dir) ? -EEXIST : filename ? -ENOENT : -EINVAL;

		free(filename);
		free(dir);
		return r;
	}
	generated_id(0, name, id, sizeof(id));
	dev_id = xprintf("%s-%.10s", id, name);
	k_dir(k, dir);
	k_from_param(k, dir, list, "blocksize", 0444, "512");
	k_from_param(k, dir, list, "read_only", 0444, "0");
	k_from_param(k, dir, list, "rotational", 0444, "1");
	k_from_param(k, dir, list, "t10_dev_id", 0644, dev_id);
	k_file(k, dir, "usn", 0644, id, false);
	k_file(k, dir, "prod_id", 0644, name, false);
	k_file(k, dir, "naa_id", 0644, "", false);
	k_file(k, dir, "max_tgt_dev_commands", 0644, "64", false);
	k_file(k, dir, "type", 0444, "0 - disk", false);
	k_file(k, dir, "sync", 0200, "", false);
	if (block) {
		k_file(k, dir, "filename", 0644, filename, true);
		k_from_param(k, dir, list, "active", 0644, "1");
	} else {
		k_from_param(k, dir, list, "size", 0644, "2748779069440");
	}
	link = xprintf("handlers/%s/%s", handler, name);
	free(dir);
	dir = xprintf("../../devices/%s", name);
	k_link(k, link, dir);
	free(link);
	free(dir);
	link = xprintf("devices/%s/handler", name);
	dir = xprintf("../../handlers/%s", handler);
	k_link(k, link, dir);
	free(link);
	free(dir);
	free(dev_id);
	free(filename);
	return 0;
}

/* What is deleted leaves its groups. */
static void k_leave(struct kernel *k, const char *where, const char *name)
{
	char *pattern = xprintf("%s/device_groups/%s/%s", k->root, where, name);
	glob_t g = { 0 };
	struct stat st;
	size_t i;

	glob(pattern, 0, NULL, &g);
	for (i = 0; i < g.gl_pathc; i++)
		if (!lstat(g.gl_pathv[i], &st) && S_ISLNK(st.st_mode))
			unlink(g.gl_pathv[i]);
	globfree(&g);
	free(pattern);
}

static int k_del_device(struct kernel *k, const char *handler, const char *name)
{
	char *path = xprintf("handlers/%s/%s", handler, name);
	int r = k_has(k, "%s", path) ? 0 : -EINVAL;

	if (!r) {
		k_remove(k, path);
		free(path);
		path = xprintf("devices/%s", name);
		k_remove(k, path);
		k_leave(k, "*/devices", name);
	}
	free(path);
	return r;
}

static void k_sessions(struct kernel *k, const char *target, const char *list)
{
	while (list && *list) {
		size_t n = strcspn(list, ";");

		if (!strncmp(list, "session_name=", 13)) {
			char *dir = xprintf("targets/%s/sessions/%.*s", target, (int)n - 13, list + 13);
			char *name = xstrndup(list + 13, n - 13);

			k_dir(k, dir);
			k_file(k, dir, "initiator_name", 0444, name, false);
			free(name);
			free(dir);
		}
		list += n + (list[n] == ';');
	}
}

static void k_group_files(struct kernel *k, const char *dir)
{
	k_file(k, dir, "addr_method", 0644, "PERIPHERAL", false);
	k_file(k, dir, "io_grouping_type", 0644, "auto", false);
	k_subdir(k, dir, "luns", "The following parameters available: read_only");
}

static int k_add_target(struct kernel *k, const char *driver, const char *name, const char *list)
{
	char *target = xprintf("%s/%s", driver, name), *dir = xprintf("targets/%s", target);

	if (k_has(k, "%s", dir)) {
		free(dir);
		free(target);
		return -EEXIST;
	}
	k_dir(k, dir);
	k_group_files(k, dir);
	k_file(k, dir, "rel_tgt_id", 0644, "0", false);
	k_file(k, dir, "comment", 0644, "", false);
	k_file(k, dir, "read_cmd_count", 0444, "0", false);
	if (strcmp(driver, "scst_local"))
		k_file(k, dir, "enabled", 0644, "0", false);
	if (!strcmp(driver, "iscsi"))
		k_file(k, dir, "HeaderDigest", 0644, "None", false);
	k_subdir(k, dir, "ini_groups", "");
	k_subdir(k, dir, "sessions", NULL);
	k_sessions(k, target, list);
	free(dir);
	free(target);
	return 0;
}

static int k_del(struct kernel *k, const char *format, ...)
{
	va_list ap;
	char *path;
	int r;

	va_start(ap, format);
	if (vasprintf(&path, format, ap) < 0)
		abort();
	va_end(ap);
	r = k_has(k, "%s", path) ? 0 : -EINVAL;
	if (!r)
		k_remove(k, path);
	free(path);
	return r;
}

/* Values of one attribute are files Name, Name1, Name2 ...; those are renumbered never. */
static int k_dynamic(struct kernel *k, const char *dir, bool add, const char *name,
		     const char *value)
{
	unsigned int i;
	char *file, *old;
	int r = -EINVAL;

	for (i = 0; i < 20; i++) {
		file = i ? xprintf("%s/%s%u", dir, name, i) : xprintf("%s/%s", dir, name);
		if (k_has(k, "%s", file) && !add) {
			old = k_load(k->root, file);
			if (!strncmp(old, value, strlen(value)) && old[strlen(value)] == '\n') {
				k_remove(k, file);
				r = 0;
			}
			free(old);
		} else if (!k_has(k, "%s", file) && add) {
			k_file(k, dir, strrchr(file, '/') + 1, 0600, value, true);
			r = 0;
		}
		free(file);
		if (!r)
			break;
	}
	return r;
}

static int k_driver(struct kernel *k, const char *driver, char *data)
{
	char *cmd = strsep(&data, " "), *name = strsep(&data, " "), *dir, *attr;
	int r = -EINVAL;

	if (!strcmp(cmd, "add_target"))
		return k_add_target(k, driver, name, data);
	if (!strcmp(cmd, "del_target"))
		k_leave(k, "*/target_groups/*", name);
	if (!strcmp(cmd, "del_target"))
		return k_del(k, "targets/%s/%s", driver, name);
	if (!strcmp(cmd, "add_attribute") || !strcmp(cmd, "del_attribute")) {
		dir = xprintf("targets/%s", driver);
		r = k_dynamic(k, dir, *cmd == 'a', name, data);
		free(dir);
		return r;
	}
	if (!k_has(k, "targets/%s/%s", driver, name))
		return -ENOENT;
	if (!strcmp(cmd, "add_session")) {
		dir = xprintf("%s/%s", driver, name);
		attr = xprintf("session_name=%s", data);
		k_sessions(k, dir, attr);
		free(attr);
		free(dir);
		return 0;
	}
	if (!strcmp(cmd, "del_session"))
		return k_del(k, "targets/%s/%s/sessions/%s", driver, name, data);
	if (!strcmp(cmd, "add_target_attribute") || !strcmp(cmd, "del_target_attribute")) {
		attr = strsep(&data, " ");
		dir = xprintf("targets/%s/%s", driver, name);
		r = k_dynamic(k, dir, *cmd == 'a', attr, data);
		free(dir);
	}
	return r;
}

static int k_luns(struct kernel *k, const char *dir, char *data)
{
	char *cmd = strsep(&data, " "), *dev, *lun, *path, *link;
	bool ro, exists;

	if (!strcmp(cmd, "del"))
		return k_del(k, "%s/%s", dir, data);
	dev = strsep(&data, " ");
	lun = strsep(&data, " ");
	ro = data && strstr(data, "read_only=1");
	if (!k_has(k, "devices/%s", dev))
		return -EINVAL;
	path = k_load(k->root, (link = xprintf("devices/%s/read_only", dev)));
	ro |= *path == '1';
	free(link);
	free(path);
	path = xprintf("%s/%s", dir, lun);
	exists = k_has(k, "%s", path);
	if (exists && !strcmp(cmd, "add")) {
		free(path);
		return -EEXIST;
	}
	if (exists)
		k_remove(k, path);
	k_dir(k, path);
	k_file(k, path, "read_only", 0444, ro ? "1" : "0", ro);
	link = xprintf("%s/device", path);
	free(path);
	path = xprintf("../../../../../devices/%s", dev);
	k_link(k, link, path);
	free(path);
	free(link);
	return 0;
}

static int k_groups(struct kernel *k, const char *dir, char *data)
{
	char *cmd = strsep(&data, " "), *path;

	if (!strcmp(cmd, "del"))
		return k_del(k, "%s/%s", dir, data);
	if (k_has(k, "%s/%s", dir, data))
		return -EEXIST;
	path = xprintf("%s/%s", dir, data);
	k_dir(k, path);
	k_group_files(k, path);
	k_subdir(k, path, "initiators", "");
	free(path);
	return 0;
}

static int k_initiators(struct kernel *k, const char *dir, char *data)
{
	char *cmd = strsep(&data, " "), *name = strsep(&data, " "), *other;
	int r = 0;

	if (strcmp(cmd, "add"))
		r = k_del(k, "%s/%s", dir, name);
	else if (k_has(k, "%s/%s", dir, name))
		return -EEXIST;
	if (!r && !strcmp(cmd, "add"))
		k_file(k, dir, name, 0444, name, false);
	if (!r && !strcmp(cmd, "move")) {
		other = xprintf("%.*s/%s/initiators",
				(int)(strstr(dir, "/ini_groups/") - dir + 11), dir, data);
		k_file(k, other, name, 0444, name, false);
		free(other);
	}
	return r;
}

/* Members of device groups; a target that is not there is a directory. */
static int k_member(struct kernel *k, const char *dir, char *data, bool device)
{
	char *cmd = strsep(&data, " "), *path;
	glob_t g = { 0 };

	if (!strcmp(cmd, "del"))
		return k_del(k, "%s/%s", dir, data);
	if (k_has(k, "%s/%s", dir, data))
		return -EEXIST;
	path = xprintf("%s/targets/*/%s", k->root, data);
	if (device && !k_has(k, "devices/%s", data)) {
		free(path);
		return -EINVAL;
	}
	if (device || !glob(path, 0, NULL, &g)) {
		free(path);
		path = xprintf("%s/%s", dir, data);
		k_link(k, path, "../../somewhere");
	} else {
		free(path);
		path = xprintf("%s/%s", dir, data);
		k_dir(k, path);
		k_file(k, path, "rel_tgt_id", 0644, "0", true);
	}
	globfree(&g);
	free(path);
	return 0;
}

static int k_target_groups(struct kernel *k, const char *dir, char *data)
{
	char *cmd = strsep(&data, " "), *path;

	if (!strcmp(cmd, "del"))
		return k_del(k, "%s/%s", dir, data);
	if (k_has(k, "%s/%s", dir, data))
		return -EEXIST;
	k_subdir(k, dir, data, "");
	path = xprintf("%s/%s", dir, data);
	k_file(k, path, "group_id", 0644, "0", true);
	k_file(k, path, "state", 0644, "active", true);
	k_file(k, path, "preferred", 0644, "0", false);
	free(path);
	return 0;
}

static int k_device_groups(struct kernel *k, char *data)
{
	char *cmd = strsep(&data, " "), *path;

	if (!strcmp(cmd, "del"))
		return k_del(k, "device_groups/%s", data);
	if (k_has(k, "device_groups/%s", data))
		return -EEXIST;
	path = xprintf("device_groups/%s", data);
	k_dir(k, path);
	k_subdir(k, path, "devices", "");
	k_subdir(k, path, "target_groups", "");
	free(path);
	return 0;
}

static bool k_id_taken(struct kernel *k, unsigned int id)
{
	char *pattern = xprintf("%s/targets/*/*/rel_tgt_id", k->root), *text;
	glob_t g = { 0 };
	bool taken = false;
	size_t i, len;

	glob(pattern, 0, NULL, &g);
	for (i = 0; i < g.gl_pathc; i++) {
		text = read_all(g.gl_pathv[i], &len);
		taken |= text && strtoul(text, NULL, 10) == id;
		free(text);
	}
	globfree(&g);
	free(pattern);
	return taken;
}

static void k_give_rel_id(struct kernel *k, const char *enabled)
{
	char *path = xprintf("%.*s/rel_tgt_id", (int)(strrchr(enabled, '/') - enabled), enabled);
	char *old = k_load(k->root, path), *text;
	unsigned int id;

	for (id = 1; old && !strncmp(old, "0\n", 2) && k_id_taken(k, id); id++)
		;
	if (old && !strncmp(old, "0\n", 2)) {
		text = xprintf("%u\n[key]\n", id);
		k_store(k->root, path, text, 0644);
		free(text);
	}
	free(old);
	free(path);
}

static int k_attribute(struct kernel *k, const char *path, char *data)
{
	char *full = k_path(k->root, path), *usual, *text;
	struct stat st;

	if (lstat(full, &st)) {
		free(full);
		return -ENOENT;
	}
	free(full);
	if (!(st.st_mode & 0200))
		return -EACCES;
	data[strcspn(data, "\n")] = '\0';
	if (!strcmp(data, "refuse-this"))
		return -EINVAL;
	usual = k_load(k->defaults, path);
	text = xprintf("%s\n%s", data, strcmp(usual, data) && !strstr(path, "/enabled") ?
		       "[key]\n" : "");
	k_store(k->root, path, text, st.st_mode & 07777);
	free(text);
	free(usual);
	if (strstr(path, "/enabled") && *data == '1')
		k_give_rel_id(k, path);
	return 0;
}

static bool k_ends(const char *path, const char *end)
{
	return strlen(path) >= strlen(end) && !strcmp(path + strlen(path) - strlen(end), end);
}

static int k_dispatch(struct kernel *k, const char *path, char *data)
{
	char *dir = xstrndup(path, strlen(path) - (k_ends(path, "/mgmt") ? 5 : 0)), *cmd, *at = data;
	int r;

	if (!k_ends(path, "/mgmt")) {
		r = k_attribute(k, path, data);
	} else if (!strncmp(dir, "handlers/", 9)) {
		cmd = strsep(&at, " ");
		if (!strcmp(cmd, "add_device")) {
			cmd = strsep(&at, " ");
			r = k_add_device(k, dir + 9, cmd, at);
		} else {
			r = k_del_device(k, dir + 9, at);
		}
	} else if (!strcmp(dir, "device_groups")) {
		r = k_device_groups(k, data);
	} else if (!strncmp(dir, "device_groups/", 14)) {
		r = k_ends(dir, "/target_groups") ? k_target_groups(k, dir, data) :
		    k_member(k, dir, data, k_ends(dir, "/devices"));
	} else if (k_ends(dir, "/luns")) {
		r = k_luns(k, dir, data);
	} else if (k_ends(dir, "/ini_groups")) {
		r = k_groups(k, dir, data);
	} else if (k_ends(dir, "/initiators")) {
		r = k_initiators(k, dir, data);
	} else {
		r = k_driver(k, dir + 8, data);
	}
	free(dir);
	return r;
}

static int kernel_write(struct tree *tree, const char *path, const char *data)
{
	struct kernel *k = tree->hook_data;
	char *copy = xstrdup(data);
	int r = k->writes++ == k->fail_at ? -k->error : k_dispatch(k, path, copy);

	free(copy);
	return r;
}

/* An empty tree with handlers and drivers, on tmpfs for the order of its inodes */
static void kernel_make(struct kernel *k, struct tree *tree)
{
	static const char *const dirs[] = { "handlers", "devices", "targets", "sgv" };
	static const char params[] = "help\n\nThe following parameters available: "
		"filename, blocksize, size, read_only, rotational, t10_dev_id, active.";
	static const char nullio[] =
		"The following parameters available: blocksize, size, read_only, rotational, t10_dev_id";
	size_t i;

	memset(k, 0, sizeof(*k));
	k->fail_at = -1;
	snprintf(k->root, sizeof(k->root), "%s/skuaadm-XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	if (!mkdtemp(k->root))
		abort();
	snprintf(k->defaults, sizeof(k->defaults), "%s.def", k->root);
	if (mkdir(k->defaults, 0700))
		abort();
	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		k_dir(k, dirs[i]);
	k_subdir(k, ".", "device_groups", "");
	k_file(k, ".", "version", 0444, "SCST version: 3.11.0", false);
	k_store(k->root, "setup_id", "0x0\n", 0644);
	k_store(k->defaults, "setup_id", "0x0", 0644);
	k_store(k->root, "last_sysfs_mgmt_res", "0\n", 0444);
	k_subdir(k, "handlers", "vdisk_blockio", params);
	k_subdir(k, "handlers", "vdisk_nullio", nullio);
	k_subdir(k, "targets", "scst_local", "The following parameters available: session_name\n");
	k_subdir(k, "targets", "iscsi",
		 "The following target driver attributes available: IncomingUser, OutgoingUser\n"
		 "The following target attributes available: IncomingUser, OutgoingUser, allowed_portal\n");
	k_file(k, "targets/iscsi", "enabled", 0644, "0", false);
	k_subdir(k, "targets", "ib_srpt", NULL);
	if (tree_open(tree, k->root))
		abort();
	tree->hook = kernel_write;
	tree->hook_data = k;
}

/* What a configuration takes for granted: handlers, drivers, hardware targets */
__attribute__((unused))
static void kernel_provide(struct kernel *k, const struct node *root)
{
	const struct node *i;

	for_each_node(i, root) {
		if (i->kind == N_HANDLER && !k_has(k, "handlers/%s", i->name)) {
			k_subdir(k, "handlers", i->name, strncmp(i->name, "dev_", 4) ?
				 "The following parameters available: filename, blocksize" : "");
		} else if (i->kind == N_DRIVER && !k_has(k, "targets/%s", i->name) &&
			   strcmp(i->name, "copy_manager")) {
			k_subdir(k, "targets", i->name, NULL);
		} else if (i->kind == N_TARGET && k_has(k, "targets/%s", i->parent->name) &&
			   !k_has(k, "targets/%s/mgmt", i->parent->name)) {
			k_add_target(k, i->parent->name, i->name, NULL);
		} else if (i->kind == N_LUN && !node_device(root, i->device) &&
			   !k_has(k, "devices/%s", i->device)) {
			if (!k_has(k, "handlers/dev_disk"))
				k_subdir(k, "handlers", "dev_disk", "");
			k_add_device(k, "dev_disk", i->device, NULL);
		}
	}
}

static void kernel_end(struct kernel *k, struct tree *tree)
{
	tree_close(tree);
	nftw(k->root, k_unlink_one, 16, FTW_DEPTH | FTW_PHYS);
	nftw(k->defaults, k_unlink_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* All that is there: paths, modes, link texts, contents */
__attribute__((unused))
static void k_dump(struct kernel *k, const char *dir, struct text *out)
{
	char *full = k_path(k->root, dir), *path, *text;
	struct dirent **list;
	int n = scandir(full, &list, NULL, alphasort), i;
	char link[256];
	struct stat st;
	ssize_t len;

	free(full);
	for (i = 0; i < n; i++) {
		if (*list[i]->d_name != '.') {
			path = xprintf("%s/%s", dir, list[i]->d_name);
			full = k_path(k->root, path);
			lstat(full, &st);
			text_add(out, "%s %o", path, st.st_mode);
			if (S_ISDIR(st.st_mode)) {
				text_add(out, "\n");
				k_dump(k, path, out);
			} else if (S_ISLNK(st.st_mode)) {
				len = readlink(full, link, sizeof(link));
				text_add(out, " -> %.*s\n", (int)len, link);
			} else {
				text = k_load(k->root, path);
				text_add(out, "\n%s", text);
				free(text);
			}
			free(full);
			free(path);
		}
		free(list[i]);
	}
	if (n >= 0)
		free(list);
}

#endif
