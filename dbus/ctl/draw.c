/* SPDX-License-Identifier: MIT */
#include "dbus/ctl/ctl.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char fen_letters[] = "KQRBNP";

/* Letters as chess books of the language print them. */
static const struct {
        const char *language, *letters;
} languages[] = {
        { "en", "KQRBNP" }, { "de", "KDTLSB" }, { "fr", "RDTFCP" }, { "es", "RDTACP" },
        { "it", "RDTACP" }, { "pt", "RDTBCP" }, { "nl", "KDTLPI" }, { "pl", "KHWGSP" },
        { "cs", "KDVSJP" }, { "hu", "KVBFHG" }, { "sv", "KDTLSB" }, { "da", "KDTLSB" },
        { "no", "KDTLSB" }, { "fi", "KDTLRS" }, { "ro", "RDTNCP" }, { "hr", "KDTLSP" },
};

static const char *const figurines[2][PIECE_NAMES] = {
        { "♔", "♕", "♖", "♗", "♘", "♙" },
        { "♚", "♛", "♜", "♝", "♞", "♟" },
};

static const char *letters_of(const char *word) {
        for (size_t i = 0; i < sizeof(languages) / sizeof(languages[0]); i++)
                if (strcmp(languages[i].language, word) == 0)
                        return languages[i].letters;
        return strlen(word) == PIECE_NAMES ? word : NULL;
}

bool parse_pieces(const struct ctl *ctl, const char *word, struct piece_names *ret) {
        const char *letters = letters_of(word == NULL ? "en" : word);

        *ret = (struct piece_names){ 0 };
        if (word != NULL && strcmp(word, "figurines") == 0) {
                for (unsigned i = 0; i < PIECE_NAMES; i++) {
                        strcpy(ret->white[i], figurines[0][i]);
                        strcpy(ret->black[i], figurines[1][i]);
                }
                return true;
        }
        for (unsigned i = 0; letters != NULL && i < PIECE_NAMES; i++) {
                if (!isalpha((unsigned char) letters[i])) {
                        letters = NULL;
                        break;
                }
                ret->white[i][0] = (char) toupper((unsigned char) letters[i]);
                ret->black[i][0] = (char) tolower((unsigned char) letters[i]);
        }
        if (letters == NULL)
                usage(ctl,
                      "--pieces=\"%s\": a language (en de fr es it pt nl pl cs hu sv da no fi ro hr), figurines, or the six "
                      "letters for king, queen, rook, bishop, knight and pawn",
                      word);
        return letters != NULL;
}

static const char *piece_name(char letter, const struct piece_names *names) {
        const char *at = strchr(fen_letters, toupper((unsigned char) letter));

        if (letter == '?' || at == NULL || *at == '\0')
                return "?";
        return isupper((unsigned char) letter) ? names->white[at - fen_letters] : names->black[at - fen_letters];
}

/* One line: "8 | r . b q k b n r". Return: what follows the rank in @placement */
static const char *draw_rank(const char *placement, unsigned rank, const struct piece_names *names,
                             char ret[static BOARD_LINE_MAX]) {
        size_t n = (size_t) snprintf(ret, BOARD_LINE_MAX, "%u ", rank);
        unsigned file = 0;

        for (; *placement != '\0' && *placement != '/' && file < 8; placement++) {
                if (isdigit((unsigned char) *placement)) {
                        for (int i = 0; i < *placement - '0' && file < 8; i++, file++)
                                n += (size_t) snprintf(ret + n, BOARD_LINE_MAX - n, " .");
                } else {
                        n += (size_t) snprintf(ret + n, BOARD_LINE_MAX - n, " %s", piece_name(*placement, names));
                        file++;
                }
        }
        for (; file < 8; file++)
                n += (size_t) snprintf(ret + n, BOARD_LINE_MAX - n, " .");
        return *placement == '/' ? placement + 1 : placement;
}

unsigned draw_board(const char *placement, const struct piece_names *names,
                    char ret[static BOARD_LINES][BOARD_LINE_MAX]) {
        for (unsigned i = 0; i < 8; i++)
                placement = draw_rank(placement, 8 - i, names, ret[i]);
        snprintf(ret[8], BOARD_LINE_MAX, "   a b c d e f g h");
        return BOARD_LINES;
}

void translate_san(const char *san, const struct piece_names *names, char *ret, size_t n) {
        size_t length = 0;

        for (; *san != '\0' && length + 8 < n; san++) {
                const char *at = strchr("KQRBN", *san);

                if (at != NULL)
                        length += (size_t) snprintf(ret + length, n - length, "%s", names->white[at - "KQRBN"]);
                else
                        ret[length++] = *san;
        }
        ret[length] = '\0';
}
