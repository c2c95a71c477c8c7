// SPDX-License-Identifier: GPL-2.0
/* "skuaadm top" in a terminal, by ncurses. */
#include "top.h"

#ifdef HAVE_CURSES
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <curses.h>

#define FIRST	0.5	/* seconds */
#define HELP	"q quit  s sessions/LUNs  < > sort by  r reverse  m measure latency  + - interval"

struct screen {
	struct top *top;
	size_t first;			/* line of the table at the top */
	char *message;			/* until the next key */
};

static void put(int y, int attributes, const struct text *t)
{
	attrset(attributes);
	mvaddnstr(y, 0, t->s, COLS);
	clrtoeol();
	attrset(A_NORMAL);
}

static void draw(struct screen *screen)
{
	const struct top *top = screen->top;
	size_t room = LINES > 3 ? LINES - 3 : 0, i;
	struct text t = { 0 };

	if (screen->first + room > top->rows.nr)
		screen->first = top->rows.nr > room ? top->rows.nr - room : 0;
	erase();
	top_summary(top, &t);
	put(0, A_BOLD, &t);
	text_free(&t);
	top_headline(top, COLS, &t);
	while (t.len < (size_t)COLS)
		text_add(&t, " ");
	put(1, A_REVERSE, &t);
	text_free(&t);
	for (i = 0; i < room && screen->first + i < top->rows.nr; i++) {
		top_line(top, &top->rows.v[screen->first + i], COLS, &t);
		put(i + 2, A_NORMAL, &t);
		text_free(&t);
	}
	if (!top->rows.nr && room)
		mvaddnstr(2, 0, "nobody is logged in", COLS);
	text_add(&t, "%s", screen->message ? screen->message : HELP);
	put(LINES - 1, A_DIM, &t);
	text_free(&t);
	refresh();
}

static void measure(struct screen *screen)
{
	bool on = !screen->top->now.measuring;
	int r = top_measure(screen->top, on);

	screen->message = r ? xprintf("measure_latency: %s", strerror(-r)) :
			  xprintf("latency is %smeasured; as it was, once this ends", on ? "" : "not ");
	if (!r)
		screen->top->now.measuring = on;
}

static void set_interval(struct screen *screen, double factor)
{
	double seconds = screen->top->interval * factor;

	if (seconds < 0.25 || seconds > 60)
		return;
	screen->top->interval = seconds;
	screen->message = xprintf("every %g s", seconds);
}

/* Scrolling stops at the ends; draw() looks after the lower one. */
static void scroll_by(struct screen *screen, long lines)
{
	if (lines < 0 && screen->first < (size_t)-lines)
		screen->first = 0;
	else
		screen->first += lines;
}

/* False: that is all. */
static bool handle(struct screen *screen, int key)
{
	struct top *top = screen->top;

	free(screen->message);
	screen->message = NULL;
	switch (key) {
	case 'q': case 'Q':
		return false;
	case 's': case 'l':
		top->luns = !top->luns;
		break;
	case '>': case KEY_RIGHT:
		top->key = (top->key + 1) % NR_SORT;
		break;
	case '<': case KEY_LEFT:
		top->key = (top->key + NR_SORT - 1) % NR_SORT;
		break;
	case 'r':
		top->reverse = !top->reverse;
		break;
	case 'm':
		measure(screen);
		break;
	case '+':
		set_interval(screen, 2);
		break;
	case '-':
		set_interval(screen, 0.5);
		break;
	case KEY_UP: case 'k':
		scroll_by(screen, -1);
		break;
	case KEY_DOWN: case 'j':
		scroll_by(screen, 1);
		break;
	case KEY_PPAGE:
		scroll_by(screen, -(LINES - 4));
		break;
	case KEY_NPAGE: case ' ':
		scroll_by(screen, LINES - 4);
		break;
	case KEY_HOME:
		screen->first = 0;
		break;
	case KEY_END:
		screen->first = top->rows.nr;
		break;
	default:		/* KEY_RESIZE among others */
		break;
	}
	top_arrange(top);
	return true;
}

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

static void loop(struct screen *screen)
{
	double next = 0, left;
	int key;

	while (!top_ended) {
		left = next - seconds_now();
		if (left <= 0) {
			top_look(screen->top);
			/* The first rates come soon. */
			next = seconds_now() + (next > 0 || screen->top->interval < FIRST ?
						screen->top->interval : FIRST);
			continue;
		}
		draw(screen);
		timeout((int)(left * 1000) + 1);
		key = getch();
		if (key != ERR && !handle(screen, key))
			break;
	}
}

/**
 * top_screen() - show the table until the user has seen enough
 * @top: the table
 *
 * Return: false if this is no terminal that can show it.
 */
bool top_screen(struct top *top)
{
	struct screen screen = { .top = top };
	SCREEN *terminal = newterm(NULL, stdout, stdin);

	if (!terminal)
		return false;
	set_term(terminal);
	set_escdelay(50);
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	curs_set(0);
	loop(&screen);
	endwin();
	delscreen(terminal);
	free(screen.message);
	return true;
}

#else

bool top_screen(struct top *top)
{
	(void)top;
	return false;
}

#endif
