/* SPDX-License-Identifier: MIT */
#include "daemon/config.h"

#include <dirent.h>
#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * One file being read. inih's handler does not tell the line, so the reader counts; and inih cuts names of sections, so the reader keeps the
 * whole one.
 */
struct reading {
        struct config *config;
        FILE *file;
        const char *path;
        unsigned line;
        char section[256]; /* what stood in the last [...] */
        void (*warn)(const char *text);
        struct config_error *error;
        bool failed;
};

void config_init(struct config *config) {
        *config = (struct config){ .automatic_boards = true };
        session_settings_default(&config->defaults);
}

void config_done(struct config *config) {
        free(config->boards);
        *config = (struct config){ 0 };
}

/* How many bytes the character at @text has, or 0 when it is not well-formed UTF-8 (RFC 3629) or a control character. */
static size_t utf8_length(const unsigned char *text) {
        size_t n;
        unsigned code;

        if (text[0] < 0x80)
                return text[0] >= 0x20 && text[0] != 0x7f;

        if (text[0] >= 0xc2 && text[0] <= 0xdf)
                n = 2, code = text[0] & 0x1fU;
        else if ((text[0] & 0xf0) == 0xe0)
                n = 3, code = text[0] & 0x0fU;
        else if (text[0] >= 0xf0 && text[0] <= 0xf4)
                n = 4, code = text[0] & 0x07U;
        else
                return 0;

        for (size_t i = 1; i < n; i++) {
                if ((text[i] & 0xc0) != 0x80)
                        return 0;
                code = code << 6 | (text[i] & 0x3fU);
        }

        if ((n == 3 && (code < 0x800 || (code >= 0xd800 && code <= 0xdfff))) || (n == 4 && (code < 0x10000 || code > 0x10ffff)))
                return 0;

        return code >= 0x80 && code < 0xa0 ? 0 : n;
}

bool config_board_name_valid(const char *name) {
        size_t length = strlen(name);

        if (length == 0 || length >= BOARD_NAME_MAX)
                return false;

        for (const unsigned char *c = (const unsigned char *) name; *c;) {
                size_t n = utf8_length(c);

                if (n == 0)
                        return false;
                c += n;
        }

        return true;
}

static struct board_config *config_board(struct config *config, const char *name) {
        for (size_t i = 0; i < config->n_boards; i++)
                if (strcmp(config->boards[i].name, name) == 0)
                        return &config->boards[i];

        return NULL;
}

/* A new board with the defaults. Its address holds until the next one is added. Return: NULL when memory is out. */
static struct board_config *config_new_board(struct config *config, const char *name) {
        struct board_config *boards = realloc(config->boards, (config->n_boards + 1) * sizeof *boards);

        if (!boards)
                return NULL;

        config->boards = boards;
        boards[config->n_boards] = (struct board_config){ .settings = config->defaults };
        snprintf(boards[config->n_boards].name, BOARD_NAME_MAX, "%s", name);
        return &boards[config->n_boards++];
}

static int set_driver(struct board_config *board, const char *value, char *ret_why, size_t n) {
        size_t length;

        board->driver = driver_find(value);
        if (board->driver)
                return 0;

        length = (size_t) snprintf(ret_why, n, "unknown driver '%s'; known are", value);
        for (size_t i = 0; driver_registry[i] && length < n; i++)
                length += (size_t) snprintf(ret_why + length, n - length, " %s", driver_registry[i]->name);

        return -EINVAL;
}

static int set_device(struct board_config *board, const char *value, char *ret_why, size_t n) {
        struct device_name name;
        int r = device_parse(value, &name, ret_why, n);

        if (r == 0)
                snprintf(board->device, sizeof board->device, "%s", value);
        return r;
}

static int board_set(struct board_config *board, const char *key, const char *value, char *ret_why, size_t n) {
        if (strcmp(key, "driver") == 0)
                return set_driver(board, value, ret_why, n);
        if (strcmp(key, "device") == 0)
                return set_device(board, value, ret_why, n);

        return session_settings_set(&board->settings, key, value, ret_why, n);
}

static int set_directory(const char *key, const char *value, char ret[static CONFIG_PATH_MAX], char *ret_why, size_t n) {
        if (value[0] != '/' || strlen(value) >= CONFIG_PATH_MAX) {
                snprintf(ret_why, n, "%s: an absolute path", key);
                return -EINVAL;
        }
        snprintf(ret, CONFIG_PATH_MAX, "%s", value);
        return 0;
}

static int set_count(const char *key, const char *value, unsigned most, unsigned *ret, char *ret_why, size_t n) {
        char *end;
        unsigned long count;

        errno = 0;
        count = strtoul(value, &end, 10);
        if (errno || end == value || *end || value[0] == '-' || count > most) {
                snprintf(ret_why, n, "%s: a whole number from 0 to %u", key, most);
                return -EINVAL;
        }
        *ret = (unsigned) count;
        return 0;
}

/* The name of a tag has ASCII letters only: readers of live files refuse a game with another one. */
static int set_pgn_tag(struct pgn_options *pgn, const char *name, const char *value, char *ret_why, size_t n) {
        size_t length = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"), i = 0;

        if (length == 0 || name[length] || length >= sizeof pgn->tags[0].name || strlen(value) >= sizeof pgn->tags[0].value) {
                snprintf(ret_why, n, "pgn-tag-NAME: a name of ASCII letters, and a value of at most 255 bytes");
                return -EINVAL;
        }
        while (i < pgn->n_tags && strcmp(pgn->tags[i].name, name) != 0)
                i++;
        if (i == PGN_TAGS_MAX) {
                snprintf(ret_why, n, "pgn-tag-%.40s: at most %d tags", name, PGN_TAGS_MAX);
                return -EINVAL;
        }
        snprintf(pgn->tags[i].name, sizeof pgn->tags[i].name, "%.39s", name);
        snprintf(pgn->tags[i].value, sizeof pgn->tags[i].value, "%.255s", value);
        pgn->n_tags += i == pgn->n_tags;
        return 0;
}

static int set_automatic_boards(struct config *config, const char *value, char *ret_why, size_t n) {
        bool yes = strcmp(value, "yes") == 0;

        if (!yes && strcmp(value, "no") != 0) {
                snprintf(ret_why, n, "automatic-boards: '%.40s' is not accepted; accepted: yes no", value);
                return -EINVAL;
        }
        config->automatic_boards = yes;
        return 0;
}

static int service_set(struct config *config, const char *key, const char *value, char *ret_why, size_t n) {
        if (strcmp(key, "automatic-boards") == 0)
                return set_automatic_boards(config, value, ret_why, n);
        if (strcmp(key, "pgn-directory") == 0)
                return set_directory(key, value, config->pgn.directory, ret_why, n);
        if (strcmp(key, "record-directory") == 0)
                return set_directory(key, value, config->record_directory, ret_why, n);
        if (strcmp(key, "pgn-delay-moves") == 0)
                return set_count(key, value, 100, &config->pgn.delay_moves, ret_why, n);
        if (strcmp(key, "pgn-delay-minutes") == 0)
                return set_count(key, value, 24 * 60, &config->pgn.delay_minutes, ret_why, n);
        if (strncmp(key, "pgn-tag-", 8) == 0)
                return set_pgn_tag(&config->pgn, key + 8, value, ret_why, n);
        return -ENOENT;
}

static void reading_warn(struct reading *reading, const char *what, const char *name) {
        char text[256];

        if (!reading->warn)
                return;

        snprintf(text, sizeof text, "%s:%u: unknown %s '%.100s' ignored", reading->path, reading->line, what, name);
        reading->warn(text);
}

static int reading_fail(struct reading *reading, const char *why) {
        if (!reading->failed)
                snprintf(reading->error->text, sizeof reading->error->text, "%s:%u: %s", reading->path, reading->line, why);

        reading->failed = true;
        return 0; /* inih: stop counting this as success */
}

/* The words of a value's error, after its key where they do not begin with it. */
static int reading_fail_key(struct reading *reading, const char *key, const char *why) {
        char text[320];

        if (strncmp(why, key, strlen(key)) == 0)
                return reading_fail(reading, why);

        snprintf(text, sizeof text, "%.60s: %s", key, why);
        return reading_fail(reading, text);
}

/* inih's callback: one key of a section. Return: 1 to go on, 0 an error. */
static int reading_key(void *user, const char *section, const char *key, const char *value) {
        struct reading *reading = user;
        struct config *config = reading->config;
        char why[256] = "";
        int r;

        if (strncmp(reading->section, section, strlen(section)) == 0)
                section = reading->section;
        if (strcmp(section, "adoubed") == 0) {
                r = service_set(config, key, value, why, sizeof why);
        } else if (strcmp(section, "defaults") == 0) {
                r = session_settings_set(&config->defaults, key, value, why, sizeof why);
        } else if (strncmp(section, "board ", 6) == 0) {
                const char *name = section + 6;
                struct board_config *board = config_board(config, name);

                if (!config_board_name_valid(name))
                        return reading_fail(reading, "a board's name has 1 to 64 bytes of UTF-8 without control characters");
                if (!board)
                        board = config_new_board(config, name);
                if (!board)
                        return reading_fail(reading, "out of memory");
                r = board_set(board, key, value, why, sizeof why);
        } else {
                reading_warn(reading, "section", section);
                return 1;
        }

        if (r == -ENOENT) {
                reading_warn(reading, "key", key);
                return 1;
        }

        return r < 0 ? reading_fail_key(reading, key, why) : 1;
}

/* A line that is longer than inih's buffer would be read as two. */
static void skip_rest_of_line(struct reading *reading, const char *text, int n) {
        char why[80];
        int c;

        if (strchr(text, '\n') || (c = getc(reading->file)) == EOF)
                return;
        while (c != '\n' && c != EOF)
                c = getc(reading->file);
        snprintf(why, sizeof why, "a line has at most %d bytes, and none of them is zero", n - 2);
        reading_fail(reading, why);
}

/* inih's reader: the next line, which goes through our hands. */
static char *reading_line(char *text, int n, void *user) {
        struct reading *reading = user;
        const char *open, *close;

        reading->line++;
        if (!fgets(text, n, reading->file))
                return NULL;

        skip_rest_of_line(reading, text, n);
        open = strchr(text, '[');
        close = open ? strchr(open, ']') : NULL;
        if (close && open == text + strspn(text, " \t\357\273\277"))
                snprintf(reading->section, sizeof reading->section, "%.*s", (int) (close - open - 1), open + 1);
        return text;
}

static int read_file(struct config *config, const char *path, bool required, void (*warn)(const char *text),
                     struct config_error *ret_error) {
        struct reading reading = { .config = config, .path = path, .warn = warn, .error = ret_error };
        int r;

        reading.file = fopen(path, "re");
        if (!reading.file) {
                if (errno == ENOENT && !required)
                        return 0;
                r = -errno;
                snprintf(ret_error->text, sizeof ret_error->text, "%s: %s", path, strerror(-r));
                return r;
        }

        r = ini_parse_stream(reading_line, &reading, reading_key, &reading);
        if (ferror(reading.file) && !reading.failed) {
                snprintf(ret_error->text, sizeof ret_error->text, "%s: cannot be read", path);
                reading.failed = true;
        } else if (r > 0 && !reading.failed) {
                snprintf(ret_error->text, sizeof ret_error->text, "%s:%d: neither '[section]' nor 'key = value'", path, r);
                reading.failed = true;
        }

        fclose(reading.file);
        return reading.failed ? -EINVAL : 0;
}

static int is_drop_in(const struct dirent *entry) {
        const char *dot = strrchr(entry->d_name, '.');

        return entry->d_name[0] != '.' && dot && strcmp(dot, ".conf") == 0;
}

static int read_drop_ins(struct config *config, const char *path, void (*warn)(const char *text), struct config_error *ret_error) {
        char directory[CONFIG_PATH_MAX];
        struct dirent **entries;
        int n, r = 0;

        if (snprintf(directory, sizeof directory, "%s.d", path) >= (int) sizeof directory)
                return 0;

        n = scandir(directory, &entries, is_drop_in, alphasort);
        for (int i = 0; i < n; i++) {
                char file[CONFIG_PATH_MAX + 256];

                snprintf(file, sizeof file, "%s/%s", directory, entries[i]->d_name);
                if (r == 0)
                        r = read_file(config, file, true, warn, ret_error);
                free(entries[i]);
        }
        if (n >= 0)
                free(entries);

        return r;
}

/* What a board cannot do without. */
static int config_check(const struct config *config, const char *path, struct config_error *ret_error) {
        for (size_t i = 0; i < config->n_boards; i++) {
                const struct board_config *board = &config->boards[i];
                const char *missing = !board->driver ? "driver" : !board->device[0] ? "device" : NULL;

                if (missing) {
                        snprintf(ret_error->text, sizeof ret_error->text, "%s: [board %s] has no %s=", path, board->name, missing);
                        return -EINVAL;
                }
        }

        return 0;
}

int config_read(struct config *config, const char *path, bool required, void (*warn)(const char *text),
                struct config_error *ret_error) {
        int r = read_file(config, path, required, warn, ret_error);

        if (r < 0)
                return r;

        r = read_drop_ins(config, path, warn, ret_error);
        if (r < 0)
                return r;

        return config_check(config, path, ret_error);
}

/* Cuts the next comma-separated field off. */
static char *next_field(char **rest) {
        char *field = *rest;
        char *comma = field ? strchr(field, ',') : NULL;

        if (comma)
                *comma++ = '\0';
        *rest = comma;
        return field;
}

int config_add_board(struct config *config, const char *option, struct config_error *ret_error) {
        char copy[1024], why[256] = "";
        char *rest = copy, *name, *driver, *device;
        struct board_config *board;

        if (snprintf(copy, sizeof copy, "%s", option) >= (int) sizeof copy) {
                snprintf(ret_error->text, sizeof ret_error->text, "--board: too long");
                return -EINVAL;
        }

        name = next_field(&rest);
        driver = next_field(&rest);
        device = next_field(&rest);
        if (!device) {
                snprintf(ret_error->text, sizeof ret_error->text, "--board '%.200s': wants NAME,DRIVER,DEVICE[,KEY=VALUE...]", option);
                return -EINVAL;
        }
        if (!config_board_name_valid(name)) {
                snprintf(ret_error->text, sizeof ret_error->text,
                         "--board '%.200s': a name has 1 to 64 bytes of UTF-8 without control characters", option);
                return -EINVAL;
        }
        if (config_board(config, name)) {
                snprintf(ret_error->text, sizeof ret_error->text, "--board '%.200s': there is a board of that name already", option);
                return -EINVAL;
        }

        board = config_new_board(config, name);
        if (!board) {
                snprintf(ret_error->text, sizeof ret_error->text, "out of memory");
                return -ENOMEM;
        }

        if (set_driver(board, driver, why, sizeof why) < 0 || set_device(board, device, why, sizeof why) < 0)
                goto refused;

        while (rest) {
                char *key = next_field(&rest);
                char *value = strchr(key, '=');
                int r;

                if (!value) {
                        snprintf(why, sizeof why, "'%s' is not KEY=VALUE", key);
                        goto refused;
                }
                *value++ = '\0';
                r = session_settings_set(&board->settings, key, value, why, sizeof why);
                if (r == -ENOENT)
                        snprintf(why, sizeof why, "unknown key '%s'", key);
                if (r < 0)
                        goto refused;
        }

        return 0;

refused:
        config->n_boards--;
        snprintf(ret_error->text, sizeof ret_error->text, "--board '%.200s': %s", option, why);
        return -EINVAL;
}
