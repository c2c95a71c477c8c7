/* SPDX-License-Identifier: GPL-2.0 */
/* Colour where a terminal shows it, and questions. */
#ifndef SKUAADM_TERM_H
#define SKUAADM_TERM_H

#include <stdbool.h>
#include <stdio.h>

bool term_colour(FILE *f);
const char *term_red(FILE *f);
const char *term_green(FILE *f);
const char *term_yellow(FILE *f);
const char *term_bold(FILE *f);
const char *term_dim(FILE *f);
const char *term_plain(FILE *f);
bool term_ask(const char *question);

#endif
