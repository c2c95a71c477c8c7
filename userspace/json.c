// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include "json.h"

#ifdef HAVE_JSON
#include <stdlib.h>

#include <json-c/json.h>

bool json_there(void)
{
	return true;
}

static void add_string(struct json_object *o, const char *name, const char *value)
{
	if (value)
		json_object_object_add(o, name, json_object_new_string(value));
}

static struct json_object *step_object(const struct step *step)
{
	struct json_object *o = json_object_new_object();
	char *old = step->old ? shown_value(step->attr, step->old) : NULL;
	char *new = step->new ? shown_value(step->attr, step->new) : NULL;

	add_string(o, "op", step->op == '+' ? "create" : step->op == '-' ? "remove" : "change");
	add_string(o, "object", step->object);
	add_string(o, "attribute", step->attr);
	add_string(o, "old", old);
	add_string(o, "new", new);
	add_string(o, "warning", step->warning);
	if (step->pos.line)
		json_object_object_add(o, "line", json_object_new_int(step->pos.line));
	free(old);
	free(new);
	return o;
}

static const char *const outcomes[] = {
	[APPLIED] = "applied", [APPLIED_IN_PART] = "applied in part",
	[ROLLED_BACK] = "rolled back", [HALF_DONE] = "half done",
};

/**
 * json_plan() - a plan, and what became of it, on standard output
 * @plan: the plan
 * @result: optional: what became of it
 */
void json_plan(const struct plan *plan, const struct result *result)
{
	struct json_object *top = json_object_new_object(), *list = json_object_new_array();
	const struct step *step;
	size_t i;

	for (step = plan->first; step; step = step->next)
		json_object_array_add(list, step_object(step));
	json_object_object_add(top, "plan", list);
	json_object_object_add(top, "waiting", json_object_new_int(plan->waiting));
	if (result) {
		add_string(top, "outcome", outcomes[result->outcome]);
		json_object_object_add(top, "done", json_object_new_int(result->done));
		add_string(top, "failure", result->message);
		list = json_object_new_array();
		for (i = 0; i < result->notes.nr; i++)
			json_object_array_add(list, json_object_new_string(result->notes.v[i]));
		json_object_object_add(top, "notes", list);
	}
	puts(json_object_to_json_string_ext(top, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
					    JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(top);
}

static void add_number(struct json_object *o, const char *name, unsigned long long value)
{
	json_object_object_add(o, name, json_object_new_int64(value));
}

static void add_real(struct json_object *o, const char *name, double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.3f", value);
	json_object_object_add(o, name, json_object_new_double_s(value, text));
}

/* Times in microseconds */
static struct json_object *latency_object(const struct latency *lat)
{
	struct json_object *o = json_object_new_object();

	add_number(o, "count", lat->count);
	if (!lat->count)
		return o;
	add_real(o, "mean_us", lat->sum / 1e3 / lat->count);
	add_real(o, "p50_us", latency_percentile(lat, 50) / 1e3);
	add_real(o, "p99_us", latency_percentile(lat, 99) / 1e3);
	add_real(o, "p99.9_us", latency_percentile(lat, 99.9) / 1e3);
	add_real(o, "max_us", lat->max / 1e3);
	return o;
}

/* Since the sample before; times are left out where there are none. */
static struct json_object *rates_object(const struct rates *r)
{
	struct json_object *o = json_object_new_object();

	add_real(o, "seconds", r->seconds);
	add_real(o, "reads", r->reads);
	add_real(o, "writes", r->writes);
	add_real(o, "others", r->others);
	add_real(o, "read_mb", r->read_mb);
	add_real(o, "write_mb", r->write_mb);
	add_real(o, "depth", r->depth);
	if (r->p50 < 0)
		return o;
	add_real(o, "p50_us", r->p50 / 1e3);
	add_real(o, "p99_us", r->p99 / 1e3);
	add_real(o, "p99.9_us", r->p999 / 1e3);
	return o;
}

static struct json_object *lun_object(const struct lun *l, const struct session *before)
{
	const struct lun *old = before ? session_lun(before, l->number) : NULL;
	struct json_object *o = json_object_new_object(), *lat;
	struct rates rates;

	add_number(o, "lun", l->number);
	add_string(o, "device", l->device);
	add_number(o, "active_commands", l->io.active);
	add_number(o, "read_commands", l->io.read_cmds);
	add_number(o, "write_commands", l->io.write_cmds);
	add_number(o, "other_commands", l->io.other_cmds);
	add_number(o, "read_kib", l->io.read_kb);
	add_number(o, "write_kib", l->io.write_kb);
	if (l->read.measured || l->write.measured || l->other.measured) {
		lat = json_object_new_object();
		json_object_object_add(lat, "read", latency_object(&l->read));
		json_object_object_add(lat, "write", latency_object(&l->write));
		json_object_object_add(lat, "other", latency_object(&l->other));
		json_object_object_add(o, "latency", lat);
	}
	if (old) {
		rates_of_lun(&rates, l, old);
		json_object_object_add(o, "rates", rates_object(&rates));
	}
	return o;
}

static struct json_object *session_object(const struct session *s, const struct session *before)
{
	struct json_object *o = json_object_new_object(), *list = json_object_new_array();
	struct rates rates;
	size_t i;

	add_string(o, "driver", s->driver);
	add_string(o, "target", s->target);
	add_string(o, "session", s->name);
	add_string(o, "initiator", s->initiator);
	add_string(o, "group", *s->group ? s->group : NULL);
	add_string(o, "where", s->where);
	add_number(o, "active_commands", s->io.active);
	add_number(o, "read_commands", s->io.read_cmds);
	add_number(o, "write_commands", s->io.write_cmds);
	add_number(o, "other_commands", s->io.other_cmds);
	add_number(o, "unaligned_commands", s->unaligned);
	add_number(o, "read_kib", s->io.read_kb);
	add_number(o, "write_kib", s->io.write_kb);
	if (before) {
		rates_of_session(&rates, s, before);
		json_object_object_add(o, "rates", rates_object(&rates));
	}
	for (i = 0; i < s->nr_lun; i++)
		json_object_array_add(list, lun_object(&s->lun[i], before));
	json_object_object_add(o, "luns", list);
	return o;
}

/**
 * json_sample() - what sessions have done so far, on standard output
 * @sample: with sample_luns()
 * @before: an earlier one, for rates; or NULL
 */
void json_sample(const struct sample *sample, const struct sample *before)
{
	struct json_object *top = json_object_new_object(), *list = json_object_new_array();
	size_t i;

	json_object_object_add(top, "latency_measured", json_object_new_boolean(sample->measuring));
	for (i = 0; i < sample->nr; i++)
		json_object_array_add(list, session_object(&sample->v[i], before ?
							   sample_find(before, &sample->v[i]) :
							   NULL));
	json_object_object_add(top, "sessions", list);
	puts(json_object_to_json_string_ext(top, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
					    JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(top);
}

#else

bool json_there(void)
{
	fputs("skuaadm: built without json-c: no JSON\n", stderr);
	return false;
}

void json_plan(const struct plan *plan, const struct result *result)
{
	(void)plan;
	(void)result;
}

void json_sample(const struct sample *sample, const struct sample *before)
{
	(void)sample;
	(void)before;
}

#endif
