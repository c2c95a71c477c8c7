// SPDX-License-Identifier: GPL-2.0
/*
 * The grammar of mgmt commands: words are separated by blanks or '=', parameters
 * ("name=value") by ';' or newlines. All functions cut the text in place.
 */
#include <linux/errno.h>
#include <linux/string.h>

#include "words.h"

/* ASCII only: bytes above are parts of names, also the one that is a blank in Latin-1. */
static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_separator(char c)
{
	return c == '=' || is_blank(c);
}

/**
 * skua_skip_blanks() - the first character that is not white space
 * @text: NUL terminated
 */
char *skua_skip_blanks(char *text)
{
	while (is_blank(*text))
		text++;
	return text;
}

/**
 * skua_next_word() - cut the next word off a text
 * @text: in: where to start; out: behind the word and the one character that ended it
 *
 * Any run of white space and '=' separates words.
 *
 * Return: the word, NUL terminated, or NULL if there is none.
 */
char *skua_next_word(char **text)
{
	char *word = *text, *end;

	while (*word && is_separator(*word))
		word++;
	for (end = word; *end && !is_separator(*end); end++)
		;
	*text = end;
	if (end == word)
		return NULL;
	if (*end) {
		*end = '\0';
		*text = end + 1;
	}
	return word;
}

/**
 * skua_next_param() - cut the next "name=value" off a list
 * @text: in: the list; out: what follows the item
 * @name: the parameter's name; NULL after -EINVAL if the item was blank
 * @value: its value; NULL after -EINVAL if there was none
 *
 * An item of length zero ends the list, whatever follows it: so a list may end in
 * ';' or a newline. One of only blanks is wrong, and so are two values.
 *
 * Return: 1 if there was an item, 0 at the end of the list, -EINVAL.
 */
int skua_next_param(char **text, char **name, char **value)
{
	char *item = *text;
	size_t len = strcspn(item, ";\n");

	*name = NULL;
	*value = NULL;
	if (!len)
		return 0;
	*text = item + len;
	if (item[len]) {
		item[len] = '\0';
		(*text)++;
	}
	*name = skua_next_word(&item);
	if (*name)
		*value = skua_next_word(&item);
	if (!*value || skua_next_word(&item))
		return -EINVAL;
	return 1;
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

/**
 * skua_parse_u64() - a number in C syntax: decimal, 0x hexadecimal, leading 0 octal
 * @word: the digits; one newline may follow
 * @value: set on success only
 *
 * Return: 0; -EINVAL if this is no number; -ERANGE if it does not fit.
 */
int skua_parse_u64(const char *word, u64 *value)
{
	unsigned int base = 10;
	const char *digits;
	u64 v = 0;

	if (word[0] == '0' && (word[1] == 'x' || word[1] == 'X')) {
		base = 16;
		word += 2;
	} else if (word[0] == '0') {
		base = 8;
	}
	for (digits = word; digit_of(*word) < (int)base; word++) {
		unsigned int digit = digit_of(*word);

		/* 2^64 - 1 over 8, 10 or 16 without a 64-bit division at run time */
		if (v > (base == 8 ? ~0ULL / 8 : base == 10 ? ~0ULL / 10 : ~0ULL / 16))
			return -ERANGE;
		v *= base;
		if (v + digit < v)
			return -ERANGE;
		v += digit;
	}
	if (word == digits || (*word && strcmp(word, "\n")))
		return -EINVAL;
	*value = v;
	return 0;
}

/**
 * skua_parse_bool() - a switch: 0 or 1 in any number syntax
 * @word: the digits; one newline may follow
 * @value: set on success only
 *
 * Return: 0, -EINVAL, -ERANGE.
 */
int skua_parse_bool(const char *word, bool *value)
{
	u64 v;
	int r = skua_parse_u64(word, &v);

	if (r)
		return r;
	if (v > 1)
		return -EINVAL;
	*value = v;
	return 0;
}

/**
 * skua_parse_hex() - bytes in hexadecimal, after 0x or not
 * @text: the digits, two for each byte
 * @out: the bytes
 * @size: room there
 *
 * Return: number of bytes, 0 for an empty text; -EINVAL.
 */
int skua_parse_hex(const char *text, u8 *out, unsigned int size)
{
	unsigned int n;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		text += 2;
	for (n = 0; text[0]; n++, text += 2) {
		int high = digit_of(text[0]), low = digit_of(text[1]);

		if (n == size || high > 15 || low > 15)
			return -EINVAL;
		out[n] = high << 4 | low;
	}
	return n;
}

/**
 * skua_name_ok() - may this be the name of an object in the tree?
 * @name: the name
 * @size: longest name allowed, with its NUL
 */
bool skua_name_ok(const char *name, size_t size)
{
	size_t len = strlen(name);

	return len && len < size && !strchr(name, '/') && strcmp(name, ".") && strcmp(name, "..");
}
