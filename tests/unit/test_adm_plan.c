// SPDX-License-Identifier: GPL-2.0
/* Plans, their execution, their way back, and saving, on a tree that only seems real. */
#include "adm_kernel.h"
#include "apply.h"
#include "check.h"
#include "parse.h"
#include "save.h"
#include "unit.h"

#define ROUNDS	60

static struct kernel kernel;
static struct tree tree;
static struct diags diags;
static struct result result;
static struct plan plan;
static struct node *wanted, *present;
static struct plan_options options;

static void begin(void)
{
	memset(&options, 0, sizeof(options));
	kernel_make(&kernel, &tree);
}

static void forget(void)
{
	plan_free(&plan);
	result_free(&result);
	diags_free(&diags);
	node_free(wanted);
	node_free(present);
	wanted = NULL;
	present = NULL;
}

static void end(void)
{
	forget();
	kernel_end(&kernel, &tree);
}

static void make_plan(const char *text)
{
	forget();
	wanted = conf_parse(text, strlen(text), &diags);
	CHECK_EQ(diags.errors, 0);
	conf_check(wanted, &diags);
	CHECK_EQ(diags.errors, 0);
	present = state_read(&tree);
	plan_make(&plan, wanted, present, &options, &diags);
}

static enum outcome apply(const char *text)
{
	make_plan(text);
	if (diags.errors) {
		diags.file = "text";
		diags_print(&diags, stdout);
		unit_fail(__FILE__, __LINE__, "no plan");
		return HALF_DONE;
	}
	kernel.writes = 0;
	plan_apply(&tree, &plan, options.keep_going, &result);
	return result.outcome;
}

static void must_apply(const char *text)
{
	if (apply(text) == APPLIED)
		return;
	unit_fail(__FILE__, __LINE__, "not applied: %s", result.message);
}

static char *save(void)
{
	struct diags d = { .file = "saved" };
	struct text out = { 0 };
	struct node *root = state_read(&tree);

	keep_worth_saving(root, false);
	CHECK(conf_print(root, &out, &d));
	node_free(root);
	return text_take(&out);
}

static char *dump(void)
{
	struct text out = { 0 };

	k_dump(&kernel, ".", &out);
	return text_take(&out);
}

static void same(const char *got, const char *want)
{
	size_t i;

	for (i = 0; got[i] && got[i] == want[i]; i++)
		;
	if (got[i] != want[i])
		unit_fail(__FILE__, __LINE__, "differs: \"%.80s\", not \"%.80s\"",
			  got + (i > 40 ? i - 40 : 0), want + (i > 40 ? i - 40 : 0));
}

static char *data_file(const char *name)
{
	char *path = xprintf("../data/%s", name), *text;
	size_t len;

	text = read_all(path, &len);
	if (!text) {
		unit_fail(__FILE__, __LINE__, "cannot read %s", path);
		text = xstrdup("");
	}
	free(path);
	return text;
}

/* What the file says is what there is. */
static void nothing_left(const char *text)
{
	make_plan(text);
	CHECK_EQ(plan.nr, 0);
	plan_print(&plan, stdout);
}

static struct step *step_nr(unsigned int nr)
{
	struct step *step = plan.first;

	while (step && nr--)
		step = step->next;
	return step;
}

TEST(forty_steps)
{
	char *text = data_file("forty-steps.conf"), *first, *second;

	begin();
	make_plan(text);
	CHECK(plan.nr >= 40);
	must_apply(text);
	CHECK_EQ(result.notes.nr, 0);
	CHECK_EQ(result.done, plan.nr);
	make_plan(text);
	CHECK_EQ(plan.nr, 0);
	options.prune = true;
	make_plan(text);
	CHECK_EQ(plan.nr, 0);
	first = save();
	make_plan(first);
	CHECK_EQ(plan.nr, 0);
	end();
	begin();
	must_apply(first);
	second = save();
	same(second, first);
	free(first);
	free(second);
	free(text);
	end();
}

TEST(each_step_fails)
{
	char *text = data_file("forty-steps.conf"), *before, *after;
	int i, nr;

	begin();
	must_apply("HANDLER vdisk_nullio {\nDEVICE null9 {\nprod_id nine\n}\n}\n"
		   "TARGET_DRIVER scst_local {\nTARGET first {\nLUN 0 null9\nLUN 5 null9\n"
		   "session_name one\nGROUP g2 {\nLUN 0 null9\nINITIATOR alpha*\n}\n}\n"
		   "TARGET other {\nLUN 0 null9\nsession_name x\n}\n}\n");
	options.prune = true;
	make_plan(text);
	nr = plan.nr;
	CHECK(nr > 40);
	for (i = 0; i < nr; i++) {
		before = dump();
		kernel.fail_at = i;
		kernel.error = EIO;
		CHECK_EQ(apply(text), ROLLED_BACK);
		CHECK_EQ(result.done, i);
		CHECK(result.message && strstr(result.message, "Input/output error (EIO)"));
		kernel.fail_at = -1;
		after = dump();
		same(after, before);
		free(before);
		free(after);
	}
	must_apply(text);
	free(text);
	end();
}

TEST(failure_of_the_way_back)
{
	begin();
	make_plan("HANDLER vdisk_nullio {\nDEVICE a\n}\n");
	/* The group cannot be made; then the device cannot be deleted. */
	k_remove(&kernel, "handlers/vdisk_nullio/mgmt");
	CHECK_EQ(apply("HANDLER vdisk_blockio {\nDEVICE a {\nfilename /nowhere/at/all\n}\n}\n"),
		 ROLLED_BACK);
	CHECK(strstr(result.message, "line 2: DEVICE a: not created: No such file or directory (ENOENT)"));
	end();
}

TEST(nothing_unnamed_is_touched)
{
	begin();
	must_apply("HANDLER vdisk_nullio {\nDEVICE a {\nprod_id x\n}\nDEVICE b\n}\n"
		   "TARGET_DRIVER iscsi {\nenabled 1\nTARGET t {\nLUN 0 a\nLUN 1 b {\nread_only 1\n}\n"
		   "enabled 1\nIncomingUser \"joe longsecret123\"\n"
		   "GROUP g {\nINITIATOR i\nLUN 0 a\n}\n}\n}\n");
	must_apply("HANDLER vdisk_nullio {\nDEVICE a\nDEVICE c\n}\n"
		   "TARGET_DRIVER iscsi {\nTARGET t {\nLUN 1 b\nLUN 2 c\nGROUP g {\n}\n}\n}\n");
	CHECK_EQ(plan.nr, 2);
	CHECK_EQ(plan.creates, 2);
	CHECK_STR(step_nr(0)->data, "add_device c ");
	CHECK_STR(step_nr(1)->data, "add c 2 ");
	end();
}

TEST(prune)
{
	char *text;

	begin();
	must_apply("HANDLER vdisk_nullio {\nDEVICE a {\nprod_id x\nmax_tgt_dev_commands 9\n}\nDEVICE b\n}\n"
		   "TARGET_DRIVER iscsi {\nTARGET t {\nLUN 0 a\nLUN 1 b {\nread_only 1\n}\nenabled 1\n"
		   "IncomingUser \"joe longsecret123\"\nGROUP g {\nINITIATOR i\nLUN 0 a\n}\n}\n"
		   "TARGET u {\n}\n}\n");
	options.prune = true;
	must_apply("HANDLER vdisk_nullio {\nDEVICE a\n}\nTARGET_DRIVER iscsi {\nTARGET t {\nLUN 0 a\n}\n}\n");
	text = save();
	same(text, "HANDLER vdisk_blockio {\n}\n\nHANDLER vdisk_nullio {\n\tDEVICE a {\n\t\tprod_id x\n\t}\n}\n\n"
	     "TARGET_DRIVER ib_srpt {\n}\n\nTARGET_DRIVER iscsi {\n\tenabled 0\n\n\tTARGET t {\n"
	     "\t\tenabled 1\n\t\trel_tgt_id 1\n\t\tLUN 0 a\n\t}\n}\n\nTARGET_DRIVER scst_local {\n}\n");
	free(text);
	end();
}

TEST(changes)
{
	begin();
	must_apply("HANDLER vdisk_nullio {\nDEVICE a\nDEVICE b\n}\nTARGET_DRIVER iscsi {\nTARGET t {\n"
		   "LUN 0 a\nHeaderDigest CRC32C\nIncomingUser \"joe longsecret123\"\n"
		   "GROUP g {\nINITIATOR i\n}\nGROUP h {\n}\n}\n}\n");
	must_apply("TARGET_DRIVER iscsi {\nTARGET t {\nLUN 0 b {\nread_only 1\n}\nHeaderDigest None\n"
		   "IncomingUser \"joe othersecret12\"\nGROUP h {\nINITIATOR i\n}\n}\n}\n");
	CHECK_EQ(plan.nr, 5);
	CHECK_STR(step_nr(0)->data, "del_target_attribute t IncomingUser joe longsecret123");
	CHECK_STR(step_nr(1)->data, "add_target_attribute t IncomingUser joe othersecret12");
	CHECK_STR(step_nr(2)->data, "None");
	CHECK_STR(step_nr(3)->data, "move i h");
	CHECK_STR(step_nr(4)->data, "replace b 0 read_only=1;");
	CHECK_STR(step_nr(4)->undo->data, "replace a 0 ");
	CHECK_STR(step_nr(2)->old, "CRC32C");
	end();
}

TEST(fixed_parameters)
{
	const char *text = "HANDLER vdisk_nullio {\nDEVICE a {\nblocksize 4096\n}\n}\n";

	begin();
	must_apply("HANDLER vdisk_nullio {\nDEVICE a {\nprod_id kept\n}\n}\n"
		   "TARGET_DRIVER scst_local {\nTARGET t {\nLUN 3 a\n}\n}\n");
	make_plan(text);
	CHECK_EQ(diags.errors, 1);
	CHECK_EQ(diags.last->pos.line, 3);
	options.recreate = true;
	must_apply(text);
	CHECK_STR(step_nr(0)->data, "del 3");
	CHECK_STR(step_nr(1)->data, "del_device a");
	CHECK(k_has(&kernel, "targets/scst_local/t/luns/3/device"));
	forget();
	present = state_read(&tree);
	CHECK_STR(attr_value(node_device(present, "a"), "blocksize"), "4096");
	CHECK_STR(attr_value(node_device(present, "a"), "prod_id"), "kept");
	make_plan("HANDLER vdisk_blockio {\nDEVICE a {\nfilename /dev/null\n}\n}\n");
	CHECK_EQ(diags.errors, 0);
	CHECK_STR(step_nr(1)->data, "del_device a");
	end();
}

TEST(filename_of_an_open_device)
{
	begin();
	must_apply("HANDLER vdisk_blockio {\nDEVICE a {\nfilename /dev/null\n}\n}\n");
	must_apply("HANDLER vdisk_blockio {\nDEVICE a {\nfilename /dev/zero\n}\n}\n");
	CHECK_EQ(plan.nr, 3);
	CHECK_STR(step_nr(0)->path, "devices/a/active");
	CHECK_STR(step_nr(1)->data, "/dev/zero");
	CHECK_STR(step_nr(2)->data, "1");
	end();
}

TEST(what_is_not_there)
{
	begin();
	make_plan("HANDLER vcdrom {\n}\nHANDLER vdisk_fileio {\nDEVICE a {\nfilename /x\n}\n}\n"
		  "TARGET_DRIVER copy_manager {\nTARGET t {\nLUN 0 a\n}\n}\n"
		  "TARGET_DRIVER ib_srpt {\nTARGET fe80:: {\nenabled 1\nLUN 0 a\n}\n}\n");
	CHECK_EQ(diags.errors, 1);
	CHECK(strstr(diags.first->text, "HANDLER vcdrom is not there; passed over"));
	CHECK_EQ(plan.waiting, 1);
	options.keep_going = true;
	CHECK_EQ(apply("HANDLER vdisk_nullio {\nDEVICE a {\nthreads_num 2\nprod_id refuse-this\n}\n}\n"
		       "TARGET_DRIVER scst_local {\nTARGET t {\nLUN 0 a\nLUN 1 nosuch\n}\n}\n"),
		 APPLIED_IN_PART);
	CHECK_EQ(result.failed, 1);
	CHECK_EQ(result.notes.nr, 2);
	CHECK_STR(result.notes.v[0], "DEVICE a has no attribute threads_num here; passed over");
	CHECK(strstr(result.notes.v[1], "line 4: DEVICE a: prod_id refuse-this: Invalid argument"));
	CHECK(k_has(&kernel, "targets/scst_local/t/luns/0"));
	options.keep_going = false;
	make_plan("TARGET_DRIVER scst_local {\nTARGET t {\nLUN 1 nosuch\n}\n}\n");
	CHECK_EQ(diags.errors, 1);
	end();
}

TEST(partial)
{
	static const char *const t[] = { "t", NULL }, *const none[] = { "none", NULL };
	const char *text = "setup_id 5\nHANDLER vdisk_nullio {\nDEVICE a\nDEVICE b\nDEVICE c\n}\n"
		"TARGET_DRIVER scst_local {\nTARGET t {\nLUN 0 a\nGROUP g {\nLUN 0 b\n}\n}\n"
		"TARGET u {\nLUN 0 c\n}\n}\n";

	begin();
	options.partial = t;
	must_apply(text);
	CHECK(k_has(&kernel, "devices/a") && k_has(&kernel, "devices/b"));
	CHECK(!k_has(&kernel, "devices/c") && !k_has(&kernel, "targets/scst_local/u"));
	options.partial = NULL;
	must_apply(text);
	options.partial = t;
	options.prune = true;
	must_apply("HANDLER vdisk_nullio {\n}\nTARGET_DRIVER scst_local {\nTARGET t {\nLUN 0 b\n}\n}\n");
	CHECK(k_has(&kernel, "devices/a") && k_has(&kernel, "targets/scst_local/u"));
	CHECK(!k_has(&kernel, "targets/scst_local/t/ini_groups/g"));
	options.partial = none;
	make_plan(text);
	CHECK_EQ(diags.errors, 1);
	end();
}

TEST(identity_is_saved)
{
	char *text;

	begin();
	must_apply("HANDLER vdisk_nullio {\nDEVICE null0\n}\n");
	text = save();
	CHECK(!strstr(text, "usn"));
	free(text);
	/* Made while setup_id was another: the file has to say so. */
	k_store(kernel.root, "setup_id", "0x10\n[key]\n", 0644);
	text = save();
	CHECK(strstr(text, "usn c8054713\n") && strstr(text, "t10_dev_id c8054713-null0\n"));
	free(text);
	end();
}

TEST(device_groups)
{
	const char *text = "HANDLER vdisk_nullio {\nDEVICE a\n}\nTARGET_DRIVER scst_local {\nTARGET t {\n}\n}\n"
		"DEVICE_GROUP d {\nDEVICE a\nTARGET_GROUP x {\ngroup_id 1\nstate standby\nTARGET t\n"
		"TARGET far {\nrel_tgt_id 9\n}\n}\n}\n";
	char *first, *second;

	begin();
	must_apply(text);
	make_plan(text);
	CHECK_EQ(plan.nr, 0);
	first = save();
	end();
	begin();
	must_apply(first);
	second = save();
	same(second, first);
	options.prune = true;
	must_apply("HANDLER vdisk_nullio {\n}\n");
	CHECK(!k_has(&kernel, "device_groups/d") && !k_has(&kernel, "devices/a"));
	free(first);
	free(second);
	end();
}

#define GROUP "DEVICE_GROUP d {\nDEVICE a\nTARGET_GROUP x {\ngroup_id 1\nstate standby\nTARGET t\n}\n}\n"

/* What is made anew or deleted leaves its groups; the plan does not rely on it. */
TEST(device_groups_of_what_goes)
{
	const char *text = "HANDLER vdisk_nullio {\nDEVICE a\n}\nTARGET_DRIVER scst_local {\nTARGET t {\n}\n}\n" GROUP;
	const char *anew = "HANDLER vdisk_nullio {\nDEVICE a {\nblocksize 4096\n}\n}\n"
		"TARGET_DRIVER scst_local {\nTARGET t {\n}\n}\n" GROUP;
	char *before, *after;
	unsigned int i, nr;

	begin();
	must_apply(text);
	options.recreate = true;
	must_apply(anew);
	CHECK(k_has(&kernel, "device_groups/d/devices/a"));
	make_plan(anew);
	CHECK_EQ(plan.nr, 0);
	before = dump();
	options.prune = true;
	make_plan("HANDLER vdisk_nullio {\n}\n");
	nr = plan.nr;
	for (i = 0; i < nr; i++) {
		kernel.fail_at = i;
		kernel.error = EBUSY;
		CHECK_EQ(apply("HANDLER vdisk_nullio {\n}\n"), ROLLED_BACK);
		after = dump();
		same(after, before);
		free(after);
	}
	kernel.fail_at = -1;
	must_apply("HANDLER vdisk_nullio {\n}\n");
	CHECK(!k_has(&kernel, "device_groups/d") && !k_has(&kernel, "targets/scst_local/t"));
	free(before);
	end();
}

/* A target that is hardware and comes later is no port of another node. */
TEST(target_group_waits)
{
	const char *text = "HANDLER vdisk_nullio {\nDEVICE a\n}\nTARGET_DRIVER ib_srpt {\nTARGET t {\n}\n}\n" GROUP;
	struct stat st;
	char *path;

	begin();
	must_apply(text);
	CHECK_EQ(plan.waiting, 2);
	CHECK(k_has(&kernel, "device_groups/d/target_groups/x/state"));
	CHECK(!k_has(&kernel, "device_groups/d/target_groups/x/t"));
	k_add_target(&kernel, "ib_srpt", "t", NULL);
	must_apply(text);
	path = k_path(kernel.root, "device_groups/d/target_groups/x/t");
	CHECK(!lstat(path, &st) && S_ISLNK(st.st_mode));
	make_plan(text);
	CHECK_EQ(plan.nr, 0);
	/* Somebody has added it too early. */
	k_remove(&kernel, "device_groups/d/target_groups/x/t");
	k_dir(&kernel, "device_groups/d/target_groups/x/t");
	k_file(&kernel, "device_groups/d/target_groups/x/t", "rel_tgt_id", 0644, "0", true);
	must_apply(text);
	CHECK(!lstat(path, &st) && S_ISLNK(st.st_mode));
	free(path);
	end();
}

/* ---- whole files ------------------------------------------------------- */

static struct node *parse_quietly(const char *text)
{
	struct diags d = { 0 };
	struct node *root = conf_parse(text, strlen(text), &d);

	if (d.errors) {
		node_free(root);
		root = NULL;
	}
	diags_free(&d);
	return root;
}

/* Applied, saved, applied elsewhere, saved: the same, and nothing left to do. */
static bool one_file(const char *path)
{
	char *text, *first, *second;
	struct node *root;
	size_t len;

	text = read_all(path, &len);
	root = text ? parse_quietly(text) : NULL;
	if (!root) {
		free(text);
		return false;
	}
	begin();
	kernel_provide(&kernel, root);
	must_apply(text);
	nothing_left(text);
	first = save();
	end();
	begin();
	kernel_provide(&kernel, root);
	must_apply(first);
	second = save();
	same(second, first);
	options.prune = true;
	nothing_left(first);
	end();
	node_free(root);
	free(text);
	free(first);
	free(second);
	return true;
}

/* Those of the tests; and any others in $ADM_FILES, of which some may be broken. */
TEST(files)
{
	const char *more = getenv("ADM_FILES");
	char *pattern = xprintf("%s/*.conf", more ? more : "../data");
	glob_t g = { 0 };
	size_t i;

	glob(pattern, 0, NULL, &g);
	CHECK(g.gl_pathc >= (more ? 1 : 4));
	for (i = 0; i < g.gl_pathc; i++) {
		bool ok = one_file(g.gl_pathv[i]);

		/* The one that is no configuration */
		CHECK(more || ok != !!strstr(g.gl_pathv[i], "/prose.conf"));
		if (more)
			printf("%s: %s\n", g.gl_pathv[i], ok ? "done" : "refused");
	}
	globfree(&g);
	free(pattern);
}

/* ---- random configurations -------------------------------------------- */

static unsigned int seed;

static unsigned int any(unsigned int n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % n;
}

static void random_luns(struct text *t)
{
	unsigned int n;

	for (n = 0; n < 6; n++)
		if (any(2))
			text_add(t, "LUN %u d%u%s\n", n * 3, any(4),
				 any(3) ? "" : " {\nread_only 1\n}");
}

static void random_attrs(struct text *t)
{
	static const char *const methods[] = { "PERIPHERAL", "FLAT", "LUN" };

	if (any(2))
		text_add(t, "addr_method %s\n", methods[any(3)]);
	if (any(2))
		text_add(t, "io_grouping_type %u\n", 1 + any(3));
}

static void random_target(struct text *t, const char *driver, unsigned int nr, unsigned int offset)
{
	static const char *const comments[] = { "plain", "\"two words\"", "a\\#b\\\\c", "\" lead\"" };
	unsigned int g, i;

	text_add(t, "TARGET %.1s%u {\n", driver, nr);
	random_luns(t);
	random_attrs(t);
	if (any(2))
		text_add(t, "comment %s\n", comments[any(4)]);
	if (any(2))
		text_add(t, "rel_tgt_id %u\n", offset + nr + any(2) * 50);
	if (*driver == 's')
		for (i = 0; i < 3; i++)
			if (any(2))
				text_add(t, "session_name s%u\n", i);
	if (*driver == 'i') {
		text_add(t, "enabled %u\n", any(2));
		for (i = 0; i < 3; i++)
			if (any(2))
				text_add(t, "IncomingUser \"u%u secret%u\"\nallowed_portal 10.%u.*\n",
					 i, any(3), any(3));
	}
	for (g = 0; g < 3; g++) {
		if (any(2))
			continue;
		text_add(t, "GROUP g%u {\n", g);
		random_luns(t);
		random_attrs(t);
		/* No pattern in two groups: each has its own third. */
		for (i = g; i < 9; i += 3)
			if (any(2))
				text_add(t, "INITIATOR p%u*\\#\n", i);
		text_add(t, "}\n");
	}
	text_add(t, "}\n");
}

static char *random_config(void)
{
	struct text t = { 0 };
	unsigned int i;

	text_add(&t, "HANDLER vdisk_nullio {\n");
	for (i = 0; i < 4; i++) {
		text_add(&t, "DEVICE d%u {\n", i);
		if (any(2))
			text_add(&t, "size %u\n", 4096 * (1 + any(9)));
		if (any(2))
			text_add(&t, "t10_dev_id id%u-%u\n", i, any(3));
		if (any(2))
			text_add(&t, "prod_id \"p %u\"\n", any(3));
		if (any(2))
			text_add(&t, "naa_id 0x500000000000000%u\n", any(9));
		text_add(&t, "read_only %u\n}\n", any(4) == 0);
	}
	text_add(&t, "}\nTARGET_DRIVER scst_local {\n");
	for (i = 0; i < 3; i++)
		if (any(2))
			random_target(&t, "scst_local", i, 1);
	text_add(&t, "}\nTARGET_DRIVER iscsi {\n");
	if (any(2))
		text_add(&t, "IncomingUser \"d secret\"\n");
	for (i = 0; i < 3; i++)
		if (any(2))
			random_target(&t, "iscsi", i, 100);
	text_add(&t, "}\n");
	return text_take(&t);
}

/* Saved, applied to an empty tree, saved again: the same, and nothing left to do. */
TEST(save_and_apply_is_identity)
{
	char *text, *first, *second, *before, *after;

	for (seed = 1; seed <= ROUNDS; seed++) {
		unsigned int keep = seed;

		begin();
		text = random_config();
		must_apply(text);
		first = save();
		before = dump();
		end();
		begin();
		must_apply(first);
		second = save();
		after = dump();
		same(second, first);
		options.prune = true;
		make_plan(first);
		CHECK_EQ(plan.nr, 0);
		free(text);
		free(first);
		free(second);
		free(before);
		free(after);
		end();
		seed = keep;
	}
}

/* From one to another with --prune, with a failure somewhere on the way. */
TEST(random_rollback)
{
	char *text, *before, *after;
	unsigned int round;

	for (round = 1; round <= ROUNDS; round++) {
		seed = round * 7919;
		begin();
		options.prune = true;
		options.recreate = true;
		text = random_config();
		must_apply(text);
		free(text);
		text = random_config();
		before = dump();
		make_plan(text);
		kernel.fail_at = plan.nr ? any(plan.nr) : 0;
		kernel.error = EBUSY;
		if (plan.nr) {
			CHECK_EQ(apply(text), ROLLED_BACK);
			after = dump();
			same(after, before);
			free(after);
		}
		kernel.fail_at = -1;
		must_apply(text);
		nothing_left(text);
		free(before);
		free(text);
		end();
	}
}
