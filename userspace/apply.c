// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apply.h"

#define PROGRESS_FROM	200	/* steps, that it is worth saying how far it is */

static volatile sig_atomic_t interrupted;

static void on_signal(int sig)
{
	interrupted = sig;
}

/* A signal stops it between two steps and has the same effect as one that fails. */
static void catch_signals(struct sigaction old[2], bool on)
{
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	if (on) {
		interrupted = 0;
		sigaction(SIGINT, &sa, &old[0]);
		sigaction(SIGTERM, &sa, &old[1]);
	} else {
		sigaction(SIGINT, &old[0], NULL);
		sigaction(SIGTERM, &old[1], NULL);
	}
}

/**
 * failure_text() - which object failed, and why
 * @tree: the tree that the write went to
 * @step: the step
 * @error: -errno
 *
 * Return: for free().
 */
char *failure_text(struct tree *tree, const struct step *step, int error)
{
	struct text t = { 0 };
	char *value;

	if (step->pos.line)
		text_add(&t, "line %u: ", step->pos.line);
	text_add(&t, "%s", step->object);
	if (step->attr) {
		value = step->new ? shown_value(step->attr, step->new) : NULL;
		text_add(&t, ": %s%s%s", step->attr, value ? " " : "", value ? value : "");
		free(value);
	} else {
		text_add(&t, ": %s", step->op == '+' ? "not created" : step->op == '-' ?
			 "not removed" : "not changed");
	}
	text_add(&t, ": %s (%s)", strerror(-error), error_name(-error));
	if (tree->reason)
		text_add(&t, "; the kernel says: %s", tree->reason);
	return text_take(&t);
}

static void note(struct result *result, char *text)
{
	strings_add(&result->notes, text);
	free(text);
}

static void take_back(struct tree *tree, const struct step *from, struct result *result)
{
	const struct step *step;
	const struct write *undo;
	int r;

	for (step = from; step; step = step->prev)
		for (undo = step->undo; undo; undo = undo->next) {
			r = tree_write(tree, undo->path, undo->data);
			if (!r)
				continue;
			note(result, xprintf("%s could not be taken back: writing \"%s\" to %s: %s%s%s",
					     step->object, undo->data, undo->path, strerror(-r),
					     tree->reason ? "; the kernel says: " : "",
					     tree->reason ? tree->reason : ""));
			result->outcome = HALF_DONE;
		}
}

static void progress(const struct plan *plan, unsigned int nr)
{
	if (plan->nr < PROGRESS_FROM || !isatty(STDERR_FILENO))
		return;
	if (nr == plan->nr)
		fputs("\r\033[K", stderr);
	else if (nr % 20 == 0)
		fprintf(stderr, "\r%u of %u", nr, plan->nr);
}

/* Attributes that this kernel does not have are no failure. */
static bool may_be_missing(struct tree *tree, const struct step *step, int error)
{
	return step->optional && (error == -ENOENT || error == -EACCES) &&
	       !tree_exists(tree, step->path);
}

/**
 * plan_apply() - carry out a plan
 * @tree: the tree
 * @plan: what to do
 * @keep_going: do what can be done; else the first failure takes everything back
 * @result: zeroed; filled in; result_free()
 */
void plan_apply(struct tree *tree, const struct plan *plan, bool keep_going,
		struct result *result)
{
	struct sigaction old[2];
	const struct step *step;
	unsigned int nr = 0;
	int r;

	catch_signals(old, true);
	for (step = plan->first; step; step = step->next) {
		progress(plan, ++nr);
		r = interrupted ? -EINTR : tree_write(tree, step->path, step->data);
		if (!r) {
			result->done++;
			continue;
		}
		if (may_be_missing(tree, step, r)) {
			note(result, xprintf("%s has no attribute %s here; passed over",
					     step->object, step->attr));
			continue;
		}
		if (step->soft && !interrupted) {
			note(result, failure_text(tree, step, r));
			continue;
		}
		if (keep_going && !interrupted) {
			note(result, failure_text(tree, step, r));
			result->failed++;
			result->outcome = APPLIED_IN_PART;
			continue;
		}
		result->message = failure_text(tree, step, r);
		result->outcome = ROLLED_BACK;
		take_back(tree, step->prev, result);
		break;
	}
	progress(plan, plan->nr);
	catch_signals(old, false);
}

void result_free(struct result *result)
{
	free(result->message);
	strings_free(&result->notes);
	memset(result, 0, sizeof(*result));
}
