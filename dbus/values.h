/* SPDX-License-Identifier: MIT */
#ifndef ADOUBE_DBUS_VALUES_H
#define ADOUBE_DBUS_VALUES_H

/*
 * Values as D-Bus knows them, in a plain buffer of ours: the properties, arguments and replies are written and read
 * here, and only dbus/bus.c turns them into messages. So the interfaces need no libdbus, running out of memory is one
 * sticky error instead of one at each step, and "has this property changed?" is a comparison of bytes.
 *
 * Types are the characters of D-Bus signatures; those that the API uses are supported: b y n q i u x t d s o g, a ( {
 * v.
 */

#include "rules/types.h"

#define VALUES_SIGNATURE_MAX 256                 /* with the zero; D-Bus allows 255 characters */
#define VALUES_SIZE_MAX      (16U * 1024 * 1024) /* [byte] a bound on what one message may hold */

struct values {
        uint8_t *bytes;
        size_t n, capacity;
        int error; /* 0, -ENOMEM, or -EMSGSIZE past VALUES_SIZE_MAX; sticks until values_clear() */
};

void values_clear(struct values *values); /* empty, the memory kept */
void values_done(struct values *values);  /* frees; { 0 } and a done one are empty */
bool values_equal(const struct values *a, const struct values *b);

/* Does it hold exactly the complete types of @signature? (A check on our own code.) */
bool values_match(const struct values *values, const char *signature);

void values_put_bool(struct values *values, bool value);
void values_put_int32(struct values *values, int32_t value);
void values_put_uint32(struct values *values, uint32_t value);
void values_put_int64(struct values *values, int64_t value);
void values_put_uint64(struct values *values, uint64_t value);
void values_put_double(struct values *values, double value);
/* What is not UTF-8 becomes '?', byte by byte: libdbus aborts on it. NULL is "". */
void values_put_string(struct values *values, const char *value);
void values_put_path(struct values *values, const char *value); /* must be a valid object path */
/* Any type of fixed size, from its bytes in memory; for the reader of messages. */
void values_put_fixed(struct values *values, char type, const void *value);
void values_put_text(struct values *values, char type, const char *value); /* s, o or g */

void values_open_array(struct values *values, const char *element_signature);
void values_open_struct(struct values *values);
void values_open_entry(struct values *values); /* of a dictionary: in an array of "{..}" */
void values_open_variant(struct values *values, const char *signature);
void values_close(struct values *values);

/* Entries of an a{sv}. */
void values_entry_string(struct values *values, const char *key, const char *value);
void values_entry_bool(struct values *values, const char *key, bool value);
void values_entry_uint32(struct values *values, const char *key, uint32_t value);
void values_entry_int64(struct values *values, const char *key, int64_t value);
void values_entry_uint64(struct values *values, const char *key, uint64_t value);

void values_put_side(struct values *values, enum colour side);      /* "white", "black" or "" */
void values_put_square(struct values *values, square_t square);     /* "e4" or "" */
void values_put_squares(struct values *values, bitboard_t squares); /* as, from a1 to h8 */

/*
 * Reading. The caller knows the types: from the signature that was checked, or from reader_type(). A read of another
 * type is our bug and gives 0 or "".
 */
struct reader {
        const uint8_t *at, *end;
};

struct reader values_read(const struct values *values);
bool reader_more(const struct reader *reader); /* false at the end of the container, or of all */
char reader_type(const struct reader *reader); /* 0 where nothing follows */
bool reader_bool(struct reader *reader);
int32_t reader_int32(struct reader *reader);
uint32_t reader_uint32(struct reader *reader);
int64_t reader_int64(struct reader *reader);
uint64_t reader_uint64(struct reader *reader);
double reader_double(struct reader *reader);
const char *reader_string(struct reader *reader); /* s, o or g; lives as long as the values */
/* The fixed bytes of the value that follows, for the writer of messages. Return: their address, valid as above. */
const void *reader_fixed(struct reader *reader);
void reader_enter(struct reader *reader);
/* The signature of the elements of the array, or of the content of the variant, that follows. */
const char *reader_inner_signature(const struct reader *reader);
void reader_leave(struct reader *reader); /* past what is left of the container */
void reader_skip(struct reader *reader);  /* one complete value */

/* Copies the next value of @reader to @values. */
void values_put_value(struct values *values, struct reader *reader);

/* [byte] of a type of fixed size, 0 for the others */
size_t fixed_type_size(char type);

/* How long one complete type at the head of @signature is; 0 when there is none. */
size_t signature_length(const char *signature);

#endif
