// SPDX-License-Identifier: GPL-2.0
/*
 * The syntax of texts: "key=value", each ended by NUL; numbers and binary values.
 * RFC 7143 6.1.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/string.h>

#include "nego.h"

/* ---- writing ---------------------------------------------------------- */

static bool text_room(struct iscsi_text *text, size_t len)
{
	if (text->full || len > text->size - text->len)
		text->full = true;
	return !text->full;
}

static void text_put(struct iscsi_text *text, const void *bytes, size_t len)
{
	memcpy(text->buf + text->len, bytes, len);
	text->len += len;
}

/**
 * iscsi_text_add() - append a key and its value
 * @text: where to; if there is no room nothing is appended and text->full is set
 * @key: name
 * @value: without NUL inside
 */
void iscsi_text_add(struct iscsi_text *text, const char *key, const char *value)
{
	size_t key_len = strlen(key), len = strlen(value);

	if (!text_room(text, key_len + len + 2))
		return;
	text_put(text, key, key_len);
	text_put(text, "=", 1);
	text_put(text, value, len + 1);
}

/**
 * iscsi_text_add_u32() - append a key with a decimal number
 * @text: where to
 * @key: name
 * @value: number
 */
void iscsi_text_add_u32(struct iscsi_text *text, const char *key, u32 value)
{
	char digits[11], *p = digits + sizeof(digits) - 1;

	*p = '\0';
	do {
		*--p = '0' + value % 10;
		value /= 10;
	} while (value);
	iscsi_text_add(text, key, p);
}

/**
 * iscsi_text_add_hex() - append a key with a binary value
 * @text: where to
 * @key: name
 * @bytes: value
 * @len: bytes
 */
void iscsi_text_add_hex(struct iscsi_text *text, const char *key, const u8 *bytes, u32 len)
{
	static const char hex[] = "0123456789abcdef";
	size_t key_len = strlen(key);
	u32 i;

	if (!text_room(text, key_len + 1 + 2 + 2 * (size_t)len + 1))
		return;
	text_put(text, key, key_len);
	text_put(text, "=0x", 3);
	for (i = 0; i < len; i++) {
		text->buf[text->len++] = hex[bytes[i] >> 4];
		text->buf[text->len++] = hex[bytes[i] & 15];
	}
	text->buf[text->len++] = '\0';
}

/* ---- reading ---------------------------------------------------------- */

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

static bool has_prefix(const char *value, char lower)
{
	return value[0] == '0' && (value[1] | 0x20) == lower;
}

/**
 * iscsi_parse_number() - decimal, or hexadecimal behind 0x
 * @value: text
 * @number: result
 *
 * Return: 0; -EINVAL: no number; -ERANGE: too large.
 */
int iscsi_parse_number(const char *value, u32 *number)
{
	int base = 10;
	u64 n = 0;

	if (has_prefix(value, 'x')) {
		base = 16;
		value += 2;
	}
	if (!*value)
		return -EINVAL;
	for (; *value; value++) {
		int digit = hex_digit(*value);

		if (digit >= base)
			return -EINVAL;
		n = n * base + digit;
		if (n > U32_MAX)
			return -ERANGE;
	}
	*number = n;
	return 0;
}

static int parse_hex(const char *digits, u8 *out, u32 size)
{
	size_t nr = strlen(digits), i;

	if (!nr || DIV_ROUND_UP(nr, 2) > size)
		return -EINVAL;
	/* An odd one at the front is a byte of its own. */
	for (i = 0; i < nr; i++) {
		size_t at = (i + (nr & 1)) / 2;
		int digit = hex_digit(digits[i]);

		if (digit > 15)
			return -EINVAL;
		if (i == 0 || (i + (nr & 1)) % 2 == 0)
			out[at] = digit;
		else
			out[at] = out[at] << 4 | digit;
	}
	return DIV_ROUND_UP(nr, 2);
}

static int base64_digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	if (c == '+')
		return 62;
	return c == '/' ? 63 : 64;
}

static int parse_base64(const char *digits, u8 *out, u32 size)
{
	size_t nr = strlen(digits), pad = 0, i;
	u32 bits = 0, len = 0;

	if (!nr || nr % 4)
		return -EINVAL;
	while (pad < 2 && digits[nr - 1] == '=') {
		pad++;
		nr--;
	}
	for (i = 0; i < nr; i++) {
		int digit = base64_digit(digits[i]);

		if (digit > 63)
			return -EINVAL;
		bits = bits << 6 | digit;
		if (i % 4 == 0)
			continue;
		if (len == size)
			return -EINVAL;
		/* 6, 12, 18, 24 bits are there: 4, 2 or 0 of them are of the next byte. */
		out[len++] = bits >> (6 - 2 * (i % 4));
	}
	/* What is left over of the last digit says nothing and has to be zero. */
	if (pad && bits & (pad == 1 ? 3 : 15))
		return -EINVAL;
	return len;
}

/**
 * iscsi_parse_binary() - a binary value: hexadecimal behind 0x, base64 behind 0b
 * @value: text
 * @out: the bytes
 * @size: room there
 *
 * Return: number of bytes, at least one; -EINVAL.
 */
int iscsi_parse_binary(const char *value, u8 *out, u32 size)
{
	if (has_prefix(value, 'x'))
		return parse_hex(value + 2, out, size);
	if (has_prefix(value, 'b'))
		return parse_base64(value + 2, out, size);
	return -EINVAL;
}

/* Letters, digits and . - + @ _ : 6.1 */
static bool key_name_ok(const char *name, size_t len)
{
	size_t i;

	if (!len || len > ISCSI_KEY_MAX)
		return false;
	for (i = 0; i < len; i++) {
		char c = name[i];

		if (!(c >= 'A' && c <= 'Z') && !(c >= 'a' && c <= 'z') &&
		    !(c >= '0' && c <= '9') && !strchr(".-+@_", c))
			return false;
	}
	return true;
}

static void answer_unknown(char *name, size_t len, const char *value, struct iscsi_text *out)
{
	/* It answers something this side never said. */
	if (!strcmp(value, "NotUnderstood"))
		return;
	name[len] = '\0';
	iscsi_text_add(out, name, "NotUnderstood");
}

/**
 * iscsi_text_parse() - cut a text into keys; answer those that nobody knows
 * @text: the whole text; cut in place, and there is one byte of room behind it
 * @len: its length
 * @parsed: where the values are, all set
 * @out: gets the NotUnderstood answers
 *
 * Return: 0; -EINVAL: bad syntax; -EEXIST: a key twice.
 */
int iscsi_text_parse(char *text, u32 len, struct iscsi_parsed *parsed, struct iscsi_text *out)
{
	char *end = text + len, *value;

	memset(parsed, 0, sizeof(*parsed));
	*end = '\0';
	for (; text < end; text = value + strlen(value) + 1) {
		const struct iscsi_key *key;

		value = text;
		if (!*text)
			continue;	/* more NULs than needed */
		value = strchr(text, '=');
		if (!value || !key_name_ok(text, value - text))
			return -EINVAL;
		value++;
		key = iscsi_key_find(text, value - 1 - text);
		if (strlen(value) > ISCSI_VALUE_MAX && !(key && key->flags & ISCSI_K_LONG))
			return -EINVAL;
		if (!key) {
			answer_unknown(text, value - 1 - text, value, out);
			continue;
		}
		if (parsed->value[key - iscsi_keys])
			return -EEXIST;
		parsed->value[key - iscsi_keys] = value;
	}
	return 0;
}
