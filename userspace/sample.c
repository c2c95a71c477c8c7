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

static unsigned long long number_of(struct tree *tree, const char *dir, const char *name)
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

static double clock_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

/* All but other_cmds, which the two kinds of directories name differently */
static void read_counters(struct tree *tree, const char *dir, struct counters *io)
{
	io->time = clock_seconds();
	io->active = number_of(tree, dir, "active_commands");
	io->read_cmds = number_of(tree, dir, "read_cmd_count");
	io->write_cmds = number_of(tree, dir, "write_cmd_count");
	io->read_kb = number_of(tree, dir, "read_io_count_kb");
	io->write_kb = number_of(tree, dir, "write_io_count_kb");
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
	read_counters(tree, dir, &s->io);
	s->io.other_cmds = number_of(tree, dir, "none_cmd_count") +
			   number_of(tree, dir, "bidi_cmd_count") +
			   number_of(tree, dir, "unknown_cmd_count");
	s->unaligned = number_of(tree, dir, "read_unaligned_cmd_count") +
		       number_of(tree, dir, "write_unaligned_cmd_count");
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
	unsigned long long measuring = 0;
	size_t d, t, s;
	char *path;

	sample->time = clock_seconds();
	tree_number(tree, "measure_latency", &measuring);
	sample->measuring = measuring;
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

static void read_latency(struct tree *tree, const char *dir, const char *name,
			 struct latency *lat)
{
	char *path = xprintf("%s/%s", dir, name);
	struct text t = { 0 };

	/* It is zeroed, and stays so while nothing is measured: no memory is used. */
	if (!tree_read(tree, path, &t) && t.len && !latency_parse(lat, t.s))
		memset(lat, 0, sizeof(*lat));
	text_free(&t);
	free(path);
}

static char *device_of(struct tree *tree, const char *session, const char *lun)
{
	char *path = xprintf("%s/luns/%s/device", session, lun), *name = tree_link(tree, path);

	free(path);
	return name ? name : xstrdup("");
}

static void read_lun(struct tree *tree, const char *session, const char *number, struct lun *lun)
{
	char *dir = xprintf("%s/lun%s", session, number);

	lun->number = strtoul(number, NULL, 10);
	lun->device = device_of(tree, session, number);
	read_counters(tree, dir, &lun->io);
	lun->io.other_cmds = number_of(tree, dir, "other_cmd_count");
	read_latency(tree, dir, "read_latency", &lun->read);
	read_latency(tree, dir, "write_latency", &lun->write);
	read_latency(tree, dir, "other_latency", &lun->other);
	free(dir);
}

/**
 * sample_luns() - look at the LUNs of all sessions, too
 * @tree: the tree
 * @sample: from sample_take()
 */
void sample_luns(struct tree *tree, struct sample *sample)
{
	size_t i, k;

	for (i = 0; i < sample->nr; i++) {
		struct session *s = &sample->v[i];
		char *dir = session_path(s);

		strings_sort(&s->luns);
		s->lun = xcalloc(s->luns.nr + 1, sizeof(*s->lun));
		s->nr_lun = s->luns.nr;
		for (k = 0; k < s->nr_lun; k++)
			read_lun(tree, dir, s->luns.v[k], &s->lun[k]);
		free(dir);
	}
}

const struct lun *session_lun(const struct session *s, unsigned int number)
{
	size_t i;

	for (i = 0; i < s->nr_lun; i++)
		if (s->lun[i].number == number)
			return &s->lun[i];
	return NULL;
}

void sample_free(struct sample *sample)
{
	size_t i, k;

	for (i = 0; i < sample->nr; i++) {
		struct session *s = &sample->v[i];

		free(s->driver);
		free(s->target);
		free(s->name);
		free(s->initiator);
		free(s->group);
		free(s->where);
		strings_free(&s->luns);
		for (k = 0; k < s->nr_lun; k++)
			free(s->lun[k].device);
		free(s->lun);
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
