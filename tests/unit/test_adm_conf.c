// SPDX-License-Identifier: GPL-2.0
/* The configuration language: its lexical rules, its errors, its printer. */
#include <stdlib.h>

#include "check.h"
#include "parse.h"
#include "unit.h"

static struct diags diags;
static struct node *root;

static void parse(const char *text)
{
	node_free(root);
	diags_free(&diags);
	root = conf_parse(text, strlen(text), &diags);
}

static void check(const char *text)
{
	parse(text);
	CHECK_EQ(diags.errors, 0);
	conf_check(root, &diags);
}

static const char *value(const char *name)
{
	return attr_value(root, name);
}

/* The first complaint, as LINE:COLUMN: TEXT */
static const char *complaint(void)
{
	static char text[300];

	if (!diags.first)
		return NULL;
	snprintf(text, sizeof(text), "%u:%u: %s", diags.first->pos.line, diags.first->pos.col,
		 diags.first->text);
	return text;
}

static void expect_print(const char *want)
{
	struct text out = { 0 };

	CHECK(conf_print(root, &out, &diags));
	text_put(&out, "", 0);
	CHECK_STR(out.s, want);
	text_free(&out);
}

TEST(plain_attributes)
{
	parse("a 1\n  b\t2  \r\n\nc\nd \"two words\"\n e \"\"\n");
	CHECK_EQ(diags.errors + diags.warnings, 0);
	CHECK_STR(value("a"), "1");
	CHECK_STR(value("b"), "2");
	CHECK_STR(value("c"), "");
	CHECK_STR(value("d"), "two words");
	CHECK_STR(value("e"), "");
	CHECK_EQ(attr_find(root, "d")->pos.line, 5);
	CHECK_EQ(attr_find(root, "d")->pos.col, 1);
}

TEST(comments)
{
	parse("#a 1\n # b 2\nc 3 # note { } \"\nd x\\#y # z\n#\n#{\n");
	CHECK_EQ(diags.errors + diags.warnings, 0);
	CHECK(!value("a") && !value("b"));
	CHECK_STR(value("c"), "3");
	CHECK_STR(value("d"), "x#y");
	parse("v AB#CD\n");
	CHECK_STR(value("v"), "A");
	CHECK_EQ(diags.warnings, 1);
	CHECK_EQ(diags.first->pos.col, 4);
	parse("v \"with # hash\"\n");
	CHECK_STR(value("v"), "\"with");
	CHECK_EQ(diags.errors, 0);
	CHECK_EQ(diags.warnings, 1);
	parse("v a\\##b\n");		/* the second one is not escaped, takes the first along */
	CHECK_STR(value("v"), "a\\");
	parse("HANDLER h {#\n}\n");
	CHECK_EQ(diags.errors, 1);
}

TEST(backslashes)
{
	parse("a \\x\\y\nb \\\\n\nc a\\ b\nd \"\\\"\ne x\\\n");
	CHECK_STR(value("a"), "xy");
	CHECK_STR(value("b"), "\\n");
	CHECK_STR(value("d"), "");		/* the backslash goes before quotes are seen */
	CHECK_STR(value("e"), "x\\");
	CHECK_STR(complaint(), "3:6: attribute c has an invalid value: more than one word (quote it)");
	CHECK_EQ(diags.errors, 1);
}

TEST(braces)
{
	parse("HANDLER h { a 1\nDEVICE d { b 2\n c 3 }\n}\n");
	CHECK_EQ(diags.errors, 0);
	CHECK_STR(complaint(), "3:2: \"c ...\" is lost: a \"}\" on the same line follows");
	CHECK_STR(attr_value(root->first, "a"), "1");
	CHECK_STR(attr_value(node_device(root, "d"), "b"), "2");
	CHECK(!attr_value(node_device(root, "d"), "c"));
	parse("a \"x{y\"\n");		/* quotes do not protect */
	CHECK_EQ(diags.errors, 2);
	parse("HANDLER h\n{\n}\n");
	CHECK_STR(complaint(), "2:1: \"{\" without what it begins; both belong on one line");
	parse("HANDLER h {\n}\n}\n");
	CHECK_STR(complaint(), "3:1: \"}\" without a \"{\" before");
	parse("HANDLER h {\n DEVICE d {\n}\n");
	CHECK_STR(complaint(), "1:1: HANDLER h has no \"}\"");
	parse("THING h {\n DEVICE d {\n}\n");
	CHECK_EQ(diags.errors, 2);
	CHECK_STR(complaint(), "1:1: there is no section \"THING\"");
	parse("HANDLER h { DEVICE d { } }");
	CHECK_EQ(diags.errors + diags.warnings, 0);
	CHECK(node_device(root, "d"));
}

TEST(last_line)
{
	parse("a 1\nb 2");
	CHECK_STR(value("a"), "1");
	CHECK(!value("b"));
	CHECK_STR(complaint(), "2:1: \"b ...\" is lost: the last line of the file needs a newline");
	parse("HANDLER h {\n}");
	CHECK_EQ(diags.errors + diags.warnings, 0);
	parse("");
	CHECK_EQ(diags.errors + diags.warnings, 0);
	parse("# no newline");
	CHECK_EQ(diags.errors + diags.warnings, 0);
}

TEST(words)
{
	parse("a b c\n");
	CHECK_STR(complaint(), "1:5: attribute a has an invalid value: more than one word (quote it)");
	parse("a \"b c\n");
	CHECK_EQ(diags.errors, 1);
	parse("TARGET_DRIVER x {\nTARGET t {\nLUN 0 d more\n}\n}\n");
	CHECK_EQ(diags.errors, 1);
	parse("TARGET_DRIVER x {\nTARGET t {\nLUN 0\n}\n}\n");
	CHECK_STR(complaint(), "3:1: LUN needs a number and a device");
	parse("HANDLER a b {\n}\n");
	CHECK_STR(complaint(), "1:11: HANDLER: one word too many");
	parse("LUN 0 x\n");
	CHECK_STR(complaint(), "1:1: LUN does not belong here but into TARGET or GROUP");
	parse("HANDLER \"\" {\n}\n");
	CHECK_EQ(diags.errors, 1);
	parse("[HANDLER vdisk]\n");
	CHECK_EQ(diags.errors, 1);
	parse("a b\0c\n");
	root = (node_free(root), diags_free(&diags), conf_parse("a \0b\n", 5, &diags));
	CHECK_STR(complaint(), "1:3: a NUL character: this is no configuration file");
}

TEST(repetition)
{
	parse("u a\nu b\nu a\n");
	CHECK_STR(value("u"), "a");
	CHECK_STR(attr_next(attr_find(root, "u"))->value, "b");
	CHECK(!attr_next(attr_next(attr_find(root, "u"))));
	parse("HANDLER h {\n a 1\n}\nHANDLER h {\n b 2\n}\n");
	CHECK_EQ(diags.warnings, 1);
	CHECK_STR(complaint(),
		  "4:1: HANDLER h was described in line 1 already; only this description counts");
	CHECK(!attr_value(root->first, "a"));
	CHECK_STR(attr_value(root->first, "b"), "2");
	CHECK(!root->first->next);
	parse("TARGET_DRIVER x {\nTARGET t {\nLUN 1 a\nLUN 0x1 b\n}\n}\n");
	CHECK_STR(complaint(), "4:1: TARGET x/t, LUN 0x1 is b here and a in line 3");
}

TEST(placement)
{
	static const char whole[] =
		"setup_id 0x21\n"
		"HANDLER h {\n\tx 1\n\n\tDEVICE d {\n\t\tfilename /f\n\t}\n\tDEVICE e\n}\n"
		"\nTARGET_DRIVER t {\n\tTARGET a {\n\t\tcomment \"rack 3\"\n"
		"\t\tLUN 0 d\n\t\tLUN 1 e {\n\t\t\tread_only 1\n\t\t}\n\n"
		"\t\tGROUP g {\n\t\t\tLUN 0 e\n\t\t\tINITIATOR 10.*\n\t\t\tINITIATOR !x\n\t\t}\n"
		"\t}\n}\n"
		"\nDEVICE_GROUP dg {\n\tDEVICE d\n\n\tTARGET_GROUP tg {\n\t\tgroup_id 1\n"
		"\t\tTARGET a {\n\t\t}\n\t}\n}\n";
	struct node *dg;

	parse(whole);
	CHECK_EQ(diags.errors + diags.warnings, 0);
	dg = node_find(root, N_DEVICE_GROUP, "dg");
	CHECK(node_find(dg, N_DG_DEVICE, "d"));
	CHECK(node_find(node_find(dg, N_TARGET_GROUP, "tg"), N_TG_TARGET, "a"));
	conf_check(root, &diags);
	CHECK_EQ(diags.errors, 0);
}

TEST(print_and_read)
{
	parse("a x\\#y\\\\z\nb \"q \\# \\\\\"\nc\n\"d e\" f\nTARGET_DRIVER t {\n TARGET a {\n"
	      "LUN 0 d\nGROUP g {\nINITIATOR *\\#*\n}\n}\n}\n");
	CHECK_EQ(diags.errors, 0);
	expect_print("a x\\#y\\\\z\nb \"q \\# \\\\\"\nc\n\"d e\" f\n\nTARGET_DRIVER t {\n"
		     "\tTARGET a {\n\t\tLUN 0 d\n\n\t\tGROUP g {\n\t\t\tINITIATOR *\\#*\n\t\t}\n\t}\n}\n");
}

TEST(what_cannot_be_written)
{
	struct text out = { 0 };

	parse("");
	attr_add(root, "a", "x{y");
	attr_add(root, "b", "say \"hello\"");
	attr_add(root, "c", "inch\"");
	attr_add(root, "d", "two\nlines");
	CHECK(!conf_print(root, &out, &diags));
	CHECK_EQ(diags.errors, 3);
	CHECK_STR(out.s, "c inch\"\n");
	text_free(&out);
}

TEST(values)
{
	check("HANDLER vdisk_blockio {\nDEVICE d {\nfilename x\nread_only 2\nblocksize 100\n"
	      "t10_dev_id 12345678901234567890123456\nnaa_id 0xg\nnuma_node_id -2\n"
	      "threads_pool_type other\n}\n}\n");
	CHECK_EQ(diags.errors, 7);
	check("HANDLER vdisk_blockio {\nDEVICE d {\nfilename /x\nread_only 0x1\nblocksize 01000\n"
	      "t10_dev_id 1234567890123456789012345\nnaa_id 5001\nnuma_node_id -1\n"
	      "unheard_of \"any thing\"\n}\n}\n");
	CHECK_EQ(diags.errors + diags.warnings, 0);
	check("HANDLER h {\nDEVICE d {\nsize 1\nsize 2\n}\n}\n");
	CHECK_STR(complaint(), "4:1: size is \"2\" here and \"1\" in line 3");
}

TEST(rules)
{
	check("HANDLER h {\nDEVICE a/b\n}\nHANDLER i {\nDEVICE x\n}\nHANDLER j {\nDEVICE x\n}\n");
	CHECK_EQ(diags.errors, 2);
	check("TARGET_DRIVER t {\nTARGET a {\nLUN 16384 d\nLUN x d\nLUN 0 d\nGROUP g {\n"
	      "INITIATOR i\n}\nGROUP h {\nINITIATOR i\n}\n}\n}\n");
	CHECK_EQ(diags.errors, 3);
	CHECK_EQ(diags.warnings, 3);
	check("TARGET_DRIVER t {\nTARGET a {\nrel_tgt_id 3\n}\nTARGET b {\nrel_tgt_id 03\n}\n}\n");
	CHECK_STR(complaint(), "6:1: rel_tgt_id 3 is that of TARGET a too (line 2)");
	check("TARGET_DRIVER t {\nTARGET a {\nrel_tgt_id 3\n}\nTARGET b {\nenabled 0\nrel_tgt_id 3\n}\n}\n");
	CHECK_EQ(diags.errors, 0);
	check("DEVICE_GROUP g {\nDEVICE d\nTARGET_GROUP a {\nTARGET x\n}\nTARGET_GROUP b {\nTARGET x\n"
	      "state asleep\ngroup_id 0\n}\n}\nDEVICE_GROUP h {\nDEVICE d\n}\n");
	CHECK_EQ(diags.errors, 4);
	check("HANDLER h {\n}\nDEVICE_GROUP g {\nTARGET_GROUP a {\ngroup_id 3\n}\nTARGET_GROUP b {\n"
	      "group_id 0x3\n}\n}\n");
	CHECK_STR(complaint(), "8:1: group_id 3 is that of TARGET_GROUP a too (line 4)");
	check("HANDLER h {\n}\nDEVICE_GROUP g {\nTARGET_GROUP a {\ngroup_id 3\n}\n}\nDEVICE_GROUP h {\n"
	      "TARGET_GROUP b {\ngroup_id 3\n}\n}\n");
	CHECK_EQ(diags.errors + diags.warnings, 0);
	check("HANDLER h {\n}\nDEVICE_GROUP g {\nTARGET_GROUP a {\nTARGET x\n}\n}\n");
	CHECK_EQ(diags.errors, 0);
	CHECK_EQ(diags.warnings, 2);
	check("a 1\n");
	CHECK_EQ(diags.warnings, 1);
	CHECK_EQ(diags.first->pos.line, 0);
}

TEST(same_values)
{
	CHECK(same_value("size", "0x10", "16"));
	CHECK(!same_value("usn", "0x10", "16"));
	CHECK(!same_value("t10_dev_id", "01", "1"));
	CHECK(same_value("rel_tgt_id", "01", "1"));
	CHECK(same_value("naa_id", "0xAB", "ab"));
	CHECK(same_value("HeaderDigest", "CRC32C,None", "None,CRC32C"));
	CHECK(!same_value("HeaderDigest", "CRC32C", "None"));
	CHECK(same_value("addr_method", "flat", "FLAT"));
	CHECK(!same_value("addr_method", "flat", "LUN"));
	CHECK(same_value("cpu_mask", "00000003", "3"));
}

TEST(order_of_names)
{
	CHECK(name_cmp("disk2", "disk10") < 0);
	CHECK(name_cmp("disk10", "disk2") > 0);
	CHECK(name_cmp("a", "b") < 0 && name_cmp("a", "a") == 0);
	CHECK(name_cmp("disk02", "disk2") != 0);
	CHECK(name_cmp("disk", "disk1") < 0);
}

TEST(the_end)
{
	node_free(root);
	diags_free(&diags);
	root = NULL;
}
