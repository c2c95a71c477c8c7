// SPDX-License-Identifier: GPL-2.0
/* scstadmin's -config, -check_config, -write_config and -clear_config */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apply.h"
#include "check.h"
#include "cmd.h"
#include "parse.h"
#include "save.h"
#include "scstadmin.h"
#include "state.h"

static int read_file(struct scst *a, const char *path, struct diags *diags, struct node **root)
{
	int r = 0;

	*root = conf_read(path, diags);
	if (!*root) {
		scst_fatal(a, "%s: %s", path, strerror(errno));
		return 1;
	}
	if (!diags->errors)
		conf_check(*root, diags);
	if (!diags->errors && !node_find(*root, N_HANDLER, NULL) &&
	    !node_find(*root, N_DRIVER, NULL) && (*root)->first)
		diag_error(diags, (struct pos){ 0, 0 }, "no HANDLER and no TARGET_DRIVER");
	diags_print(diags, stderr);
	if (diags->errors) {
		fprintf(stderr, "%s: %u error(s)\n", path, diags->errors);
		r = 1;
	}
	return r;
}

int scst_check(struct scst *a, const struct scst_op *op, const char *value)
{
	struct diags diags = { 0 };
	struct node *root;
	int r = read_file(a, value ? value : default_config(), &diags, &root);

	(void)op;
	if (!r)
		printf("Configuration has no errors, %u warning(s).\n\nAll done.\n", diags.warnings);
	node_free(root);
	diags_free(&diags);
	return r;
}

static int carry_out(struct scst *a, struct node *wanted, const struct plan_options *options,
		     const char *file)
{
	struct diags diags = { .file = file };
	struct node *present = state_read(&a->tree);
	struct result result = { 0 };
	struct plan plan = { 0 };
	size_t i;
	int r = 0;

	plan_make(&plan, wanted, present, options, &diags);
	diags_print(&diags, stderr);
	if (diags.errors && !a->cont_on_err) {
		r = scst_fatal(a, "the configuration does not fit what is there");
	} else {
		plan_print(&plan, stdout);
		plan_apply(&a->tree, &plan, a->cont_on_err, &result);
		for (i = 0; i < result.notes.nr; i++)
			fprintf(stderr, "WARNING: %s\n", result.notes.v[i]);
		if (result.message)
			r = scst_fatal(a, "%s%s", result.message, result.outcome == ROLLED_BACK ?
				       " (what was done before has been taken back)" : "");
		else
			printf("\t-> Done, %u change(s) made.\n", result.done);
	}
	result_free(&result);
	plan_free(&plan);
	diags_free(&diags);
	node_free(present);
	return r;
}

int scst_config(struct scst *a, const struct scst_op *op, const char *value)
{
	struct plan_options options = {
		.prune = a->force, .recreate = a->force, .lenient = true,
		.keep_going = a->cont_on_err,
	};
	const char *path = value ? value : default_config();
	struct diags diags = { 0 };
	struct node *wanted;
	int r = read_file(a, path, &diags, &wanted);

	(void)op;
	if (!r && !wanted->first && !wanted->attrs)
		printf("WARNING: %s is empty.\n", path);
	else if (!r)
		r = carry_out(a, wanted, &options, path);
	node_free(wanted);
	diags_free(&diags);
	return r;
}

int scst_save(struct scst *a, const struct scst_op *op, const char *value)
{
	struct node *state = state_read(&a->tree);
	struct diags diags = { .file = value };
	struct text text = { 0 };
	int r;

	(void)op;
	keep_worth_saving(state, a->nonkey);
	text_add(&text, "# Written by skuaadm as scstadmin.\n\n");
	conf_print(state, &text, &diags);
	diags_print(&diags, stderr);
	r = a->debug ? 0 : write_config(value, &text);
	if (r)
		r = scst_fatal(a, "%s: %s", value, strerror(-r));
	else
		printf("Written to %s.\n", value);
	text_free(&text);
	diags_free(&diags);
	node_free(state);
	return r;
}

/* Everything goes, and what is hardware is switched off. */
int scst_clear(struct scst *a, const struct scst_op *op, const char *value)
{
	struct plan_options options = { .prune = true, .keep_going = a->cont_on_err };
	struct node *state, *wanted, *child, *driver;
	int r;

	(void)op;
	(void)value;
	if (!a->force) {
		fputs("-clear_config needs -force\n", stderr);
		return 1;
	}
	state = state_read(&a->tree);
	wanted = node_new(N_ROOT, NULL);
	for_each_child(child, state)
		if (child->kind == N_DRIVER) {
			driver = node_new(N_DRIVER, child->name);
			node_add(wanted, driver);
			if (attr_find(child, "enabled"))
				attr_add(driver, "enabled", "0");
		}
	r = carry_out(a, wanted, &options, "-clear_config");
	node_free(wanted);
	node_free(state);
	return r;
}
