// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sample.h"

char *session_path(const struct session *s)
{
	return xprintf("targets/%s/%s/sessions/%s", s->driver, s->target, s->name);
}

static unsigned long long number(struct tree *tree, const char *dir, const char *name)
{
	char *path = xprintf("%s/%s", dir, name);
	unsigned long long v = 0;

	tree_number(tree, path, &v);
	free(path);
	return v;
}

/* "../../ini_groups/G/luns" is of group G. */
static char *group_of(struct tree *tree, const char *dir)
{
	char buf[1024], *path = xprintf("%s/%s/luns", tree->root, dir), *at;
	ssize_t n = readlink(path, buf, sizeof(buf) - 1);

	free(path);
	buf[n > 0 ? n : 0] = '\0';
	at = strstr(buf, "ini_groups/");
	if (!at)
		return xstrdup("");
	at += strlen("ini_groups/");
	return xstrndup(at, strcspn(at, "/"));
}

static void add_where(struct tree *tree, const char *dir, const char *name, const char *label,
		      struct text *t)
{
	char *path = xprintf("%s/%s", dir, name);
	char *value = tree_value(tree, path, NULL);

	if (value && *value)
		text_add(t, "%s%s%s", t->len ? ", " : "", label, value);
	free(value);
	free(path);
}

/* LUNs, and the directories of connections */
static void read_dirs(struct tree *tree, const char *dir, struct session *s, struct text *where)
{
	struct entries list = { 0 };
	size_t i;

	tree_list(tree, dir, &list);
	for (i = 0; i < list.nr; i++) {
		const char *name = list.v[i].name;

		if (!S_ISDIR(list.v[i].mode) || !strcmp(name, "latency"))
			continue;
		if (!strncmp(name, "lun", 3) && name[3] >= '0' && name[3] <= '9') {
			strings_add(&s->luns, name + 3);
			continue;
		}
		text_add(where, "%s%s", where->len ? ", " : "", name);
	}
	entries_free(&list);
}

static void add_session(struct tree *tree, struct sample *sample, const char *driver,
			const char *target, const char *name)
{
	struct text where = { 0 };
	struct session *s;
	char *dir, *path;

	if (sample->nr == sample->room) {
		sample->room = sample->room ? sample->room * 2 : 16;
		sample->v = xrealloc(sample->v, sample->room, sizeof(*sample->v));
	}
	s = &sample->v[sample->nr++];
	memset(s, 0, sizeof(*s));
	s->driver = xstrdup(driver);
	s->target = xstrdup(target);
	s->name = xstrdup(name);
	dir = session_path(s);
	path = xprintf("%s/initiator_name", dir);
	s->initiator = tree_value(tree, path, NULL);
	free(path);
	if (!s->initiator)
		s->initiator = xstrdup(name);
	s->group = group_of(tree, dir);
	read_dirs(tree, dir, s, &where);
	add_where(tree, dir, "ch_state", "", &where);
	add_where(tree, dir, "host_no", "host", &where);
	s->where = text_take(&where);
	s->active = number(tree, dir, "active_commands");
	s->read_cmds = number(tree, dir, "read_cmd_count");
	s->write_cmds = number(tree, dir, "write_cmd_count");
	s->other_cmds = number(tree, dir, "none_cmd_count") + number(tree, dir, "bidi_cmd_count") +
			number(tree, dir, "unknown_cmd_count");
	s->read_kb = number(tree, dir, "read_io_count_kb");
	s->write_kb = number(tree, dir, "write_io_count_kb");
	s->unaligned = number(tree, dir, "read_unaligned_cmd_count") +
		       number(tree, dir, "write_unaligned_cmd_count");
	free(dir);
}

static void each_dir(struct tree *tree, const char *path, struct strings *names)
{
	struct entries list = { 0 };
	size_t i;

	tree_list(tree, path, &list);
	for (i = 0; i < list.nr; i++)
		if (S_ISDIR(list.v[i].mode))
			strings_add(names, list.v[i].name);
	entries_free(&list);
}

/**
 * sample_take() - look at all sessions
 * @tree: the tree
 * @sample: zeroed; filled in; sample_free()
 */
void sample_take(struct tree *tree, struct sample *sample)
{
	struct strings drivers = { 0 }, targets = { 0 }, sessions = { 0 };
	struct timespec now;
	size_t d, t, s;
	char *path;

	clock_gettime(CLOCK_MONOTONIC, &now);
	sample->time = now.tv_sec + now.tv_nsec / 1e9;
	each_dir(tree, "targets", &drivers);
	for (d = 0; d < drivers.nr; d++) {
		path = xprintf("targets/%s", drivers.v[d]);
		each_dir(tree, path, &targets);
		free(path);
		for (t = 0; t < targets.nr; t++) {
			path = xprintf("targets/%s/%s/sessions", drivers.v[d], targets.v[t]);
			each_dir(tree, path, &sessions);
			free(path);
			for (s = 0; s < sessions.nr; s++)
				add_session(tree, sample, drivers.v[d], targets.v[t], sessions.v[s]);
			strings_free(&sessions);
		}
		strings_free(&targets);
	}
	strings_free(&drivers);
}

void sample_free(struct sample *sample)
{
	size_t i;

	for (i = 0; i < sample->nr; i++) {
		struct session *s = &sample->v[i];

		free(s->driver);
		free(s->target);
		free(s->name);
		free(s->initiator);
		free(s->group);
		free(s->where);
		strings_free(&s->luns);
	}
	free(sample->v);
	memset(sample, 0, sizeof(*sample));
}

/* The same session in another sample, NULL if it was not there */
const struct session *sample_find(const struct sample *sample, const struct session *like)
{
	size_t i;

	for (i = 0; i < sample->nr; i++)
		if (!strcmp(sample->v[i].driver, like->driver) &&
		    !strcmp(sample->v[i].target, like->target) &&
		    !strcmp(sample->v[i].name, like->name))
			return &sample->v[i];
	return NULL;
}
