// SPDX-License-Identifier: GPL-2.0
/* What scstadmin's options do: mostly one write each, by templates. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "sample.h"
#include "scstadmin.h"

/* Exit codes for targets */
#define NO_DRIVER	30
#define FIXED_TARGETS	31
#define NO_TARGET	40
#define TARGET_EXISTS	41
#define ADD_FAILED	42
#define REMOVE_FAILED	43
#define SESSIONS_LEFT	54

#define CLOSE_TRIES	3000		/* of 100 ms */

/* ---- templates -------------------------------------------------------- */

/* "a=1,b" as "a=1;b=1;" */
static void add_params(const char *attributes, struct text *t)
{
	while (attributes && *attributes) {
		size_t len = strcspn(attributes, ",");

		if (len)
			text_add(t, "%.*s%s;", (int)len, attributes,
				 memchr(attributes, '=', len) ? "" : "=1");
		attributes += len + (attributes[len] == ',');
	}
}

static const char *option_of(const struct scst *a, char letter, const char **value)
{
	switch (letter) {
	case 'D':
		*value = a->driver;
		return "-driver";
	case 'T':
		*value = a->target;
		return "-target";
	case 'G':
		*value = a->group;
		return "-group";
	case 'd':
		*value = a->device;
		return "-device";
	case 'h':
		*value = a->handler;
		return "-handler";
	case 'g':
		*value = a->dev_group;
		return "-dev_group";
	case 't':
		*value = a->tgt_group;
		return "-tgt_group";
	case 'o':
		*value = a->to;
		return "-to";
	}
	return NULL;
}

/*
 * %V is the option's own value, %P the attributes as parameters, %L the target with its
 * group if there is one, other letters those of option_of(). NULL if one is missing.
 */
static char *expand(struct scst *a, const char *template, const char *value)
{
	struct text t = { 0 };
	const char *s, *option, *word;

	for (s = template; *s; s++) {
		if (*s != '%') {
			text_put(&t, s, 1);
			continue;
		}
		s++;
		if (*s == 'P') {
			add_params(a->attributes, &t);
			continue;
		}
		if (*s == 'L') {
			char *up = expand(a, a->group ? "targets/%D/%T/ini_groups/%G" :
					  "targets/%D/%T", value);

			if (!up)
				goto missing;
			text_add(&t, "%s", up);
			free(up);
			continue;
		}
		word = value;
		option = *s == 'V' ? "a name" : option_of(a, *s, &word);
		if (!word) {
			fprintf(stderr, "Please give %s\n", option);
			goto missing;
		}
		text_add(&t, "%s", word);
	}
	return text_take(&t);
missing:
	text_free(&t);
	return NULL;
}

/* ---- plain writes ----------------------------------------------------- */

static int explain(struct scst *a, const char *path, const char *data, int r)
{
	return scst_fatal(a, "(%s) writing \"%s\" to %s: %s%s%s", error_name(-r), data, path,
			  strerror(-r), a->tree.reason ? "; the kernel says: " : "",
			  a->tree.reason ? a->tree.reason : "");
}

static int op_write(struct scst *a, const struct scst_op *op, const char *value)
{
	char *path = expand(a, op->path, value), *data = path ? expand(a, op->data, value) : NULL;
	int r = 1;

	if (data) {
		printf("\n%s: ", op->name);
		r = tree_write(&a->tree, path, data);
		if (r)
			r = explain(a, path, data, r);
		else
			puts("done.");
	}
	free(path);
	free(data);
	return r;
}

/* A failure is worth a warning only. */
static int op_resync(struct scst *a, const struct scst_op *op, const char *value)
{
	char *path = expand(a, op->path, value);
	int r = tree_write(&a->tree, path, "1");

	if (r)
		printf("(%s) Warning: %s: %s\n", error_name(-r), value, strerror(-r));
	else
		puts("done.");
	free(path);
	return 0;
}

/* ---- targets ---------------------------------------------------------- */

static int warn(int code, const char *format, const char *name)
{
	fputs("WARNING: ", stdout);
	printf(format, name);
	putchar('\n');
	return code;
}

static int check_driver(struct scst *a, const char *value, bool *exists)
{
	char *path = expand(a, "targets/%D", value), *mgmt, *target;
	int r = 0;

	if (!path)
		return 1;
	mgmt = xprintf("%s/mgmt", path);
	target = xprintf("%s/%s", path, value);
	*exists = tree_exists(&a->tree, target);
	if (!tree_exists(&a->tree, path))
		r = warn(NO_DRIVER, "there is no driver %s", a->driver);
	else if (!tree_exists(&a->tree, mgmt))
		r = warn(FIXED_TARGETS, "driver %s has hardware targets only", a->driver);
	free(path);
	free(mgmt);
	free(target);
	return r;
}

static int op_add_target(struct scst *a, const struct scst_op *op, const char *value)
{
	bool exists = false;
	int r = check_driver(a, value, &exists);
	char *path, *data;

	if (r)
		return r;
	if (exists)
		return warn(TARGET_EXISTS, "target %s exists", value);
	path = expand(a, op->path, value);
	data = expand(a, op->data, value);
	r = tree_write(&a->tree, path, data);
	if (r) {
		explain(a, path, data, r);
		r = ADD_FAILED;
	} else {
		puts("done.");
	}
	free(path);
	free(data);
	return r;
}

static bool sessions_end(struct scst *a, const char *target)
{
	struct sample sample = { 0 };
	unsigned int tries;
	size_t i, left = 1;

	for (tries = 0; left && tries < CLOSE_TRIES; tries++) {
		sample_take(&a->tree, &sample);
		for (i = left = 0; i < sample.nr; i++) {
			const struct session *s = &sample.v[i];
			char *path;

			if (strcmp(s->driver, a->driver) || strcmp(s->target, target))
				continue;
			path = xprintf("targets/%s/%s/sessions/%s/force_close", s->driver, target,
				       s->name);
			if (tree_exists(&a->tree, path)) {
				left++;
				if (!tries)
					tree_write(&a->tree, path, "1");
			}
			free(path);
		}
		sample_free(&sample);
		if (left)
			nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
	}
	return !left;
}

static int op_rem_target(struct scst *a, const struct scst_op *op, const char *value)
{
	bool exists = false;
	int r = check_driver(a, value, &exists);
	char *path, *data;

	if (r)
		return r;
	if (!exists)
		return warn(NO_TARGET, "there is no target %s", value);
	path = expand(a, "targets/%D/%V/enabled", value);
	if (tree_exists(&a->tree, path))
		tree_write(&a->tree, path, "0");
	free(path);
	if (!a->debug && !sessions_end(a, value))
		return warn(SESSIONS_LEFT, "target %s still has sessions", value);
	path = expand(a, op->path, value);
	data = expand(a, op->data, value);
	r = tree_write(&a->tree, path, data);
	if (r) {
		explain(a, path, data, r);
		r = REMOVE_FAILED;
	} else {
		puts("done.");
	}
	free(path);
	free(data);
	return r;
}

/* ---- attributes ------------------------------------------------------- */

/* Calls @one for each of "a=1,b=2". */
static int each_attribute(struct scst *a, const char *value,
			  int (*one)(struct scst *a, const struct scst_op *op, const char *value,
				     const char *name, const char *text),
			  const struct scst_op *op)
{
	char *copy, *rest, *item, *text;
	int r = 0;

	if (!a->attributes) {
		fputs("Please give -attributes\n", stderr);
		return 1;
	}
	copy = xstrdup(a->attributes);
	rest = copy;
	while (!r && (item = strsep(&rest, ","))) {
		text = strchr(item, '=');
		if (text)
			*text++ = '\0';
		if (*item)
			r = one(a, op, value, item, text ? text : "1");
	}
	free(copy);
	return r;
}

/* op->data: what follows the value, a newline or nothing */
static int set_one(struct scst *a, const struct scst_op *op, const char *value, const char *name,
		   const char *text)
{
	char *dir = expand(a, op->path, value), *path, *data;
	int r;

	if (!dir)
		return 1;
	path = xprintf("%s/%s", dir, name);
	data = xprintf("%s%s", text, *text ? op->data : "\n");
	r = tree_write(&a->tree, path, data);
	if (r)
		printf("(%s) Warning: %s is not set to \"%s\": %s%s%s\n", error_name(-r), name, text,
		       strerror(-r), a->tree.reason ? "; " : "",
		       a->tree.reason ? a->tree.reason : "");
	else
		printf("%s = %s: done.\n", name, text);
	free(data);
	free(path);
	free(dir);
	return 0;
}

static int op_set(struct scst *a, const struct scst_op *op, const char *value)
{
	return each_attribute(a, value, set_one, op);
}

static int dynamic_one(struct scst *a, const struct scst_op *op, const char *value,
		       const char *name, const char *text)
{
	char *path = expand(a, op->path, value), *command = path ? expand(a, op->data, value) : NULL;
	char *data;
	int r = 1;

	if (command) {
		data = xprintf("%s %s %s", command, name, text);
		r = tree_write(&a->tree, path, data);
		if (r)
			r = explain(a, path, data, r);
		else
			puts("done.");
		free(data);
	}
	free(command);
	free(path);
	return r;
}

static int op_dynamic(struct scst *a, const struct scst_op *op, const char *value)
{
	return each_attribute(a, value, dynamic_one, op);
}

static int op_list_attrs(struct scst *a, const struct scst_op *op, const char *value)
{
	char *dir = expand(a, op->path, value), *path, *text;
	struct entries list = { 0 };
	bool key;
	size_t i;
	int r;

	if (!dir)
		return 1;
	r = tree_list(&a->tree, dir, &list);
	if (r) {
		r = scst_fatal(a, "%s: %s", dir, strerror(-r));
		free(dir);
		return r;
	}
	printf("\n\t%-32s %-40s %-8s %s\n", "Attribute", "Value", "Writable", "KEY");
	for (i = 0; i < list.nr; i++) {
		if (!S_ISREG(list.v[i].mode) || !strcmp(list.v[i].name, "mgmt"))
			continue;
		path = xprintf("%s/%s", dir, list.v[i].name);
		key = false;
		text = list.v[i].mode & 0400 ? tree_value(&a->tree, path, &key) : NULL;
		printf("\t%-32s %-40s %-8s %s\n", list.v[i].name, text ? text : "",
		       list.v[i].mode & 0200 ? "Yes" : "No", key ? "Yes" : "No");
		free(text);
		free(path);
	}
	entries_free(&list);
	free(dir);
	return 0;
}

/* ---- lists ------------------------------------------------------------ */

/* Directories (or links) of op->path; with a value, is that one among them? */
static int op_list(struct scst *a, const struct scst_op *op, const char *value)
{
	char *dir = expand(a, op->path, ""), *link, *path;
	struct entries list = { 0 };
	bool found = false;
	size_t i;

	if (!dir)
		return 1;
	tree_list(&a->tree, dir, &list);
	printf("\n\t%s\n", op->data);
	for (i = 0; i < list.nr; i++) {
		if (S_ISREG(list.v[i].mode) || (value && strcmp(value, list.v[i].name)))
			continue;
		found = true;
		path = xprintf("%s/%s/handler", dir, list.v[i].name);
		link = tree_link(&a->tree, path);
		printf("\t%s%s%s\n", list.v[i].name, link ? "\t" : "", link ? link : "");
		free(link);
		free(path);
	}
	entries_free(&list);
	free(dir);
	if (value && !found && strcmp(op->name, "list_handler"))
		return scst_fatal(a, "there is no %s", value);
	if (value && !found)
		printf("\tthere is no %s\n", value);
	return 0;
}

static int op_list_targets(struct scst *a, const struct scst_op *op, const char *value)
{
	struct entries list = { 0 };
	const char *driver = a->driver;
	size_t i;
	int r = 0;

	if (driver)
		return op_list(a, op, value);
	tree_list(&a->tree, "targets", &list);
	for (i = 0; i < list.nr; i++)
		if (S_ISDIR(list.v[i].mode)) {
			a->driver = list.v[i].name;
			printf("\nDriver: %s", a->driver);
			op_list(a, op, NULL);
		}
	a->driver = driver;
	entries_free(&list);
	return r;
}

static int op_list_sessions(struct scst *a, const struct scst_op *op, const char *value)
{
	struct sample sample = { 0 };
	size_t i;

	(void)op;
	(void)value;
	sample_take(&a->tree, &sample);
	printf("\n\t%-12s %-40s %-40s %s\n", "Driver", "Target", "Session", "Group");
	for (i = 0; i < sample.nr; i++)
		printf("\t%-12s %-40s %-40s %s\n", sample.v[i].driver, sample.v[i].target,
		       sample.v[i].name, sample.v[i].group);
	sample_free(&sample);
	return 0;
}

static int op_lip(struct scst *a, const struct scst_op *op, const char *value)
{
	(void)a;
	(void)op;
	(void)value;
	puts("No target here is Fibre Channel: nothing to do.");
	return 0;
}

/* ---- the table -------------------------------------------------------- */

#define QUERY	true, false
#define ASKS	false, true
#define DOES	false, false

#define TGT	"targets/%D/%V"
#define GRP	"targets/%D/%T/ini_groups/%V"
#define DG	"device_groups/%g"

const struct scst_op scst_ops[] = {
	{ "config", '?', DOES, scst_config, NULL, NULL },
	{ "check_config", '?', DOES, scst_check, NULL, NULL },
	{ "write_config", '!', DOES, scst_save, NULL, NULL },
	{ "clear_config", '-', ASKS, scst_clear, NULL, NULL },
	{ "list_handler", '?', QUERY, op_list, "handlers", "Handler" },
	{ "list_device", '?', QUERY, op_list, "devices", "Device\tHandler" },
	{ "list_dgrp", '?', QUERY, op_list, "device_groups", "Device Group" },
	{ "list_tgrp", '?', QUERY, op_list, DG "/target_groups", "Target Group" },
	{ "list_driver", '?', QUERY, op_list, "targets", "Driver" },
	{ "list_target", '?', QUERY, op_list_targets, "targets/%D", "Target" },
	{ "list_group", '?', QUERY, op_list, "targets/%D/%T/ini_groups", "Group" },
	{ "list_sessions", '-', QUERY, op_list_sessions, NULL, NULL },
	{ "list_scst_attr", '-', QUERY, op_list_attrs, ".", NULL },
	{ "list_hnd_attr", '!', QUERY, op_list_attrs, "handlers/%V", NULL },
	{ "list_dev_attr", '!', QUERY, op_list_attrs, "devices/%V", NULL },
	{ "list_drv_attr", '!', QUERY, op_list_attrs, "targets/%V", NULL },
	{ "list_tgt_attr", '!', QUERY, op_list_attrs, TGT, NULL },
	{ "list_grp_attr", '!', QUERY, op_list_attrs, GRP, NULL },
	{ "list_lun_attr", '!', QUERY, op_list_attrs, "%L/luns/%V", NULL },
	{ "list_init_attr", '!', QUERY, op_list_attrs, "targets/%D/%T/ini_groups/%G/initiators", NULL },
	{ "list_dgrp_attr", '!', QUERY, op_list_attrs, "device_groups/%V", NULL },
	{ "list_tgrp_attr", '!', QUERY, op_list_attrs, DG "/target_groups/%V", NULL },
	{ "list_ttgt_attr", '!', QUERY, op_list_attrs, DG "/target_groups/%t/%V", NULL },
	{ "set_scst_attr", '-', ASKS, op_set, ".", "\n" },
	{ "set_hnd_attr", '!', ASKS, op_set, "handlers/%V", "\n" },
	{ "set_dev_attr", '!', ASKS, op_set, "devices/%V", "" },
	{ "set_drv_attr", '!', ASKS, op_set, "targets/%V", "\n" },
	{ "set_tgt_attr", '!', ASKS, op_set, TGT, "" },
	{ "set_grp_attr", '!', ASKS, op_set, GRP, "\n" },
	{ "set_lun_attr", '!', ASKS, op_set, "%L/luns/%V", "\n" },
	{ "set_init_attr", '!', ASKS, op_set, "targets/%D/%T/ini_groups/%G/initiators", "\n" },
	{ "set_dgrp_attr", '!', ASKS, op_set, "device_groups/%V", "\n" },
	{ "set_tgrp_attr", '!', ASKS, op_set, DG "/target_groups/%V", "\n" },
	{ "set_ttgt_attr", '!', ASKS, op_set, DG "/target_groups/%t/%V", "\n" },
	{ "add_drv_attr", '!', DOES, op_dynamic, "targets/%V/mgmt", "add_attribute" },
	{ "rem_drv_attr", '!', ASKS, op_dynamic, "targets/%V/mgmt", "del_attribute" },
	{ "add_tgt_attr", '!', DOES, op_dynamic, "targets/%D/mgmt", "add_target_attribute %V" },
	{ "rem_tgt_attr", '!', ASKS, op_dynamic, "targets/%D/mgmt", "del_target_attribute %V" },
	{ "open_dev", '!', DOES, op_write, "handlers/%h/mgmt", "add_device %V %P" },
	{ "close_dev", '!', ASKS, op_write, "handlers/%h/mgmt", "del_device %V" },
	{ "resync_dev", '!', DOES, op_resync, "devices/%V/resync_size", NULL },
	{ "add_dgrp", '!', DOES, op_write, "device_groups/mgmt", "create %V" },
	{ "rem_dgrp", '!', DOES, op_write, "device_groups/mgmt", "del %V" },
	{ "add_dgrp_dev", '!', DOES, op_write, DG "/devices/mgmt", "add %V" },
	{ "rem_dgrp_dev", '!', DOES, op_write, DG "/devices/mgmt", "del %V" },
	{ "add_tgrp", '!', DOES, op_write, DG "/target_groups/mgmt", "add %V" },
	{ "rem_tgrp", '!', DOES, op_write, DG "/target_groups/mgmt", "del %V" },
	{ "add_tgrp_tgt", '!', DOES, op_write, DG "/target_groups/%t/mgmt", "add %V" },
	{ "rem_tgrp_tgt", '!', DOES, op_write, DG "/target_groups/%t/mgmt", "del %V" },
	{ "add_target", '!', DOES, op_add_target, "targets/%D/mgmt", "add_target %V %P" },
	{ "rem_target", '!', ASKS, op_rem_target, "targets/%D/mgmt", "del_target %V" },
	{ "enable_target", '!', DOES, op_write, TGT "/enabled", "1" },
	{ "disable_target", '!', ASKS, op_write, TGT "/enabled", "0" },
	{ "issue_lip", '?', DOES, op_lip, NULL, NULL },
	{ "add_group", '!', DOES, op_write, "targets/%D/%T/ini_groups/mgmt", "create %V" },
	{ "rem_group", '!', ASKS, op_write, "targets/%D/%T/ini_groups/mgmt", "del %V" },
	{ "add_init", '!', DOES, op_write, "%L/initiators/mgmt", "add %V" },
	{ "rem_init", '!', ASKS, op_write, "%L/initiators/mgmt", "del %V" },
	{ "move_init", '!', ASKS, op_write, "%L/initiators/mgmt", "move %V %o" },
	{ "clear_inits", '-', ASKS, op_write, "%L/initiators/mgmt", "clear" },
	{ "add_lun", '!', DOES, op_write, "%L/luns/mgmt", "add %d %V %P" },
	{ "rem_lun", '!', ASKS, op_write, "%L/luns/mgmt", "del %V" },
	{ "replace_lun", '!', ASKS, op_write, "%L/luns/mgmt", "replace %d %V %P" },
	{ "clear_luns", '-', ASKS, op_write, "%L/luns/mgmt", "clear" },
	{ }
};
