/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The grammar of what users write into the tree, and name patterns. Pure: no kernel
 * objects, no locks, no allocation; also built for user space by tests/unit.
 */
#ifndef SKUA_WORDS_H
#define SKUA_WORDS_H

#include <linux/types.h>

char *skua_next_word(char **text);
char *skua_skip_blanks(char *text);
int skua_next_param(char **text, char **name, char **value);
int skua_parse_u64(const char *word, u64 *value);
int skua_parse_bool(const char *word, bool *value);
int skua_parse_hex(const char *text, u8 *out, unsigned int size);
bool skua_name_ok(const char *name, size_t size);
bool skua_match(const char *pattern, const char *name);

#endif
