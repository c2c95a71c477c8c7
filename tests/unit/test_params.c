// SPDX-License-Identifier: GPL-2.0
/* The grammar of mgmt commands and values: core/words.c. */
#include "unit.h"

#include "../../core/words.c"

/* The words of a text, joined with '|'. */
static const char *words(const char *text)
{
	static char out[256];
	char copy[256], *p = copy, *word;

	strcpy(copy, text);
	*out = '\0';
	while ((word = skua_next_word(&p))) {
		strcat(out, *out ? "|" : "");
		strcat(out, word);
	}
	CHECK_EQ(*p, 0);
	CHECK(!skua_next_word(&p));	/* stays at the end */
	return out;
}

TEST(words)
{
	CHECK_STR(words(""), "");
	CHECK_STR(words(" \t\n="), "");
	CHECK_STR(words("clear"), "clear");
	CHECK_STR(words("clear\n"), "clear");
	CHECK_STR(words("  add\tdisk  0\n"), "add|disk|0");
	CHECK_STR(words("read_only=1"), "read_only|1");
	CHECK_STR(words("read_only 1"), "read_only|1");
	CHECK_STR(words("read_only = 1"), "read_only|1");
	CHECK_STR(words("a==b= c"), "a|b|c");
	CHECK_STR(words("a;b"), "a;b");
	CHECK_STR(words("caf\xc3\xa9 x"), "caf\xc3\xa9|x");
	CHECK_STR(words("\xc3\xa0 \xa0"), "\xc3\xa0|\xa0");	/* a0: a blank in Latin-1 */
}

TEST(skip_blanks)
{
	char text[] = " \t\n=x", none[] = " \t";

	CHECK(skua_skip_blanks(text) == text + 3);
	CHECK(!*skua_skip_blanks(none));
}

/* The items of a list as "name:value,"; at the end "." or "!" for -EINVAL. */
static const char *params(const char *text)
{
	static char out[256];
	char copy[256], *p = copy, *name, *value;
	int r;

	strcpy(copy, text);
	*out = '\0';
	while ((r = skua_next_param(&p, &name, &value)) > 0) {
		strcat(out, name);
		strcat(out, ":");
		strcat(out, value);
		strcat(out, ",");
	}
	CHECK(!r || r == -EINVAL);
	strcat(out, r ? "!" : ".");
	return out;
}

TEST(param_lists)
{
	CHECK_STR(params(""), ".");
	CHECK_STR(params("a=1"), "a:1,.");
	CHECK_STR(params("a=1;"), "a:1,.");
	CHECK_STR(params("a=1\n"), "a:1,.");
	CHECK_STR(params("a=1;\n"), "a:1,.");
	CHECK_STR(params("a=1; b=2;"), "a:1,b:2,.");
	CHECK_STR(params("a = 1\nb 2"), "a:1,b:2,.");
	CHECK_STR(params("a=/dev/x;b=2"), "a:/dev/x,b:2,.");
}

/* An item of length zero ends the list; one of blanks is wrong. */
TEST(empty_items)
{
	CHECK_STR(params("a=1;;b=2"), "a:1,.");
	CHECK_STR(params(";a=1"), ".");
	CHECK_STR(params("a=1; "), "a:1,!");
	CHECK_STR(params("a=1; ;b=2"), "a:1,!");
	CHECK_STR(params(" "), "!");
	CHECK_STR(params("=;"), "!");
}

TEST(one_value)
{
	CHECK_STR(params("a"), "!");
	CHECK_STR(params("a="), "!");
	CHECK_STR(params("a=1;b"), "a:1,!");
	CHECK_STR(params("a=1 2"), "!");
	CHECK_STR(params("a=1=2"), "!");
	CHECK_STR(params("a=b c=d"), "!");
}

/* What is wrong can be told from name and value. */
TEST(wrong_item)
{
	char blank[] = " ;", bare[] = "size", two[] = "size=1 x";
	char *p, *name, *value;

	p = blank;
	CHECK_EQ(skua_next_param(&p, &name, &value), -EINVAL);
	CHECK(!name && !value);
	p = bare;
	CHECK_EQ(skua_next_param(&p, &name, &value), -EINVAL);
	CHECK(!strcmp(name, "size") && !value);
	p = two;
	CHECK_EQ(skua_next_param(&p, &name, &value), -EINVAL);
	CHECK(!strcmp(name, "size") && !strcmp(value, "1"));
}

static void number(const char *text, int r, u64 want)
{
	u64 v = 0x5555;

	CHECK_EQ(skua_parse_u64(text, &v), r);
	CHECK_EQ(v, r ? 0x5555 : want);
}

TEST(numbers)
{
	number("0", 0, 0);
	number("10", 0, 10);
	number("10\n", 0, 10);
	number("0x10", 0, 16);
	number("0XfF", 0, 255);
	number("010", 0, 8);
	number("00", 0, 0);
	number("18446744073709551615", 0, ~0ULL);
	number("0xffffffffffffffff", 0, ~0ULL);
	number("01777777777777777777777", 0, ~0ULL);
}

TEST(no_numbers)
{
	number("", -EINVAL, 0);
	number("\n", -EINVAL, 0);
	number("-1", -EINVAL, 0);
	number("+1", -EINVAL, 0);
	number(" 1", -EINVAL, 0);
	number("1 ", -EINVAL, 0);
	number("1\n\n", -EINVAL, 0);
	number("0x", -EINVAL, 0);
	number("0xg", -EINVAL, 0);
	number("08", -EINVAL, 0);
	number("1a", -EINVAL, 0);
	number("18446744073709551616", -ERANGE, 0);
	number("99999999999999999999", -ERANGE, 0);
	number("0x10000000000000000", -ERANGE, 0);
	number("02000000000000000000000", -ERANGE, 0);
}

TEST(bools)
{
	bool v = false;

	CHECK_EQ(skua_parse_bool("1", &v), 0);
	CHECK(v);
	CHECK_EQ(skua_parse_bool("0x0\n", &v), 0);
	CHECK(!v);
	CHECK_EQ(skua_parse_bool("2", &v), -EINVAL);
	CHECK_EQ(skua_parse_bool("y", &v), -EINVAL);
	CHECK_EQ(skua_parse_bool("", &v), -EINVAL);
	CHECK(!v);
}

TEST(hex)
{
	u8 out[4] = { 0xaa, 0xaa, 0xaa, 0xaa };

	CHECK_EQ(skua_parse_hex("0x00112233", out, 4), 4);
	CHECK_MEM(out, "\x00\x11\x22\x33", 4);
	CHECK_EQ(skua_parse_hex("aBcD", out, 4), 2);
	CHECK_MEM(out, "\xab\xcd\x22\x33", 4);
	CHECK_EQ(skua_parse_hex("", out, 4), 0);
	CHECK_EQ(skua_parse_hex("0x", out, 4), 0);
	CHECK_EQ(skua_parse_hex("0011223344", out, 4), -EINVAL);
	CHECK_EQ(skua_parse_hex("001", out, 4), -EINVAL);
	CHECK_EQ(skua_parse_hex("0g", out, 4), -EINVAL);
	CHECK_EQ(skua_parse_hex("00 11", out, 4), -EINVAL);
}

TEST(names)
{
	CHECK(skua_name_ok("disk0", 65));
	CHECK(skua_name_ok("fe80:0000", 65));
	CHECK(skua_name_ok("...", 65));
	CHECK(skua_name_ok("abc", 4));
	CHECK(!skua_name_ok("abcd", 4));
	CHECK(!skua_name_ok("", 65));
	CHECK(!skua_name_ok(".", 65));
	CHECK(!skua_name_ok("..", 65));
	CHECK(!skua_name_ok("a/b", 65));
	CHECK(!skua_name_ok("/", 65));
}
