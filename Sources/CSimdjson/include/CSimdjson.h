#pragma once

// Reads one agent event (SendingMessages page) out of JSON text with simdjson: a C face without exceptions.
//
// One parser serves one thread at a time. What it hands out points into its own buffers or into the caller's text and
// holds until the parser reads again, is trimmed, or is deleted.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What the text is as a whole.
typedef enum event_status {
    /// An object; its members are in `event_members`.
    EVENT_READ = 0,
    /// Not JSON.
    EVENT_SYNTAX,
    /// Not valid UTF-8.
    EVENT_ENCODING,
    /// Nested deeper than the parser's limit.
    EVENT_DEPTH,
    /// A number that no 64-bit integer or double holds; `fault` says where.
    EVENT_NUMBER,
    /// JSON, but not an object.
    EVENT_NOT_OBJECT,
    /// A member stands twice in one object that we read; `fault` says which.
    EVENT_DUPLICATE,
    /// Longer than the parser's limit.
    EVENT_TOO_LARGE,
    /// No memory.
    EVENT_MEMORY,
} event_status;

/// What a member is.
typedef enum event_shape {
    EVENT_ABSENT = 0,
    EVENT_NULL,
    EVENT_VALUE,
    EVENT_WRONG_TYPE,
} event_shape;

/// A string, unescaped, or a piece of JSON text.
typedef struct event_text {
    const uint8_t *bytes;
    size_t count;
    event_shape shape;
} event_text;

/// A whole number; fractions and what does not fit are EVENT_WRONG_TYPE.
typedef struct event_integer {
    int64_t value;
    event_shape shape;
} event_integer;

/// A truth value.
typedef struct event_flag {
    bool value;
    event_shape shape;
} event_flag;

/// How a text holds an event.
typedef enum event_form {
    /// All members at the top.
    EVENT_PLAIN = 0,
    /// A CloudEvents envelope: its attributes at the top, all other members in `data`.
    EVENT_ENVELOPE,
    /// The `data` of a CloudEvent whose attributes came another way: members of their names are ignored.
    EVENT_PAYLOAD,
} event_form;

/// The members of an event that the gateway knows; others are ignored.
typedef struct event_members {
    /// CloudEvents' `specversion`.
    event_text spec_version;
    /// CloudEvents' `datacontenttype`.
    event_text content_type;
    /// CloudEvents' `data_base64`: EVENT_WRONG_TYPE for anything but null.
    event_shape base64;
    /// CloudEvents' `data`: EVENT_VALUE when it is an object.
    event_shape payload;
    event_text identifier;
    event_text source;
    event_text type;
    event_text consumer;
    event_text conversation;
    event_text dialog;
    event_integer source_sequence;
    /// EVENT_VALUE when `agent` is an object.
    event_shape agent;
    event_text agent_identifier;
    event_text agent_nickname;
    event_text text;
    event_text title;
    /// The raw JSON text of an object, from brace to brace.
    event_text data;
    /// EVENT_VALUE when `link` is an object.
    event_shape link;
    event_text link_ios;
    event_text link_android;
    event_text link_web;
    event_text priority;
    event_integer ttl_seconds;
    event_text collapse_key;
    event_text category;
    event_text sound;
    event_flag silent;
    event_text time;
    event_text kind;
    event_integer look_back_seconds;
    event_text campaign;
    event_text consent_category;
    event_integer up_to_sequence;
    event_integer up_to_source_sequence;
    event_text up_to_message;
    /// For EVENT_DUPLICATE and EVENT_NUMBER: the name of the member, unescaped; EVENT_ABSENT when it is not known.
    event_text fault;
    /// For EVENT_DUPLICATE: the name of the object that it stands in, `agent` or `link`; EVENT_ABSENT for the event itself.
    event_text fault_parent;
    /// For EVENT_DUPLICATE and EVENT_NUMBER in an envelope: whether the fault lies within its `data`.
    bool fault_in_payload;
} event_members;

/// A parser with its buffers.
typedef struct event_parser event_parser;

/// Makes a parser.
///
/// @param max_bytes the longest text that it reads; its buffers never hold more than about 15 bytes for each
/// @param max_depth how deep objects and arrays may nest
/// @return NULL when there is no memory
event_parser *event_parser_new(size_t max_bytes, size_t max_depth);

/// Frees a parser; NULL is fine.
void event_parser_delete(event_parser *parser);

/// How many bytes of text the buffers hold now.
size_t event_parser_capacity(const event_parser *parser);

/// Reads one event.
///
/// @param bytes the text
/// @param count how long it is
/// @param readable how many bytes may be read from `bytes` on, `count` or more: with 64 beyond the text, no copy is made
/// @param form how the text holds the event
/// @param members filled in whatever the answer is
event_status event_parser_read(
    event_parser *parser, const uint8_t *bytes, size_t count, size_t readable, event_form form, event_members *members);

/// The object that a member stands in.
typedef enum event_level {
    EVENT_TOP = 0,
    EVENT_AGENT,
    EVENT_LINK,
} event_level;

/// What kind of JSON a value is.
typedef enum event_kind {
    EVENT_STRING = 0,
    EVENT_INTEGER,
    EVENT_BOOLEAN,
    EVENT_NOTHING,
    EVENT_OBJECT,
} event_kind;

/// A value that was not read from text.
typedef struct event_value {
    event_kind kind;
    /// A string, or the JSON text of an object; it must outlive the members.
    const uint8_t *bytes;
    size_t count;
    /// A whole number, or 0 and 1 for false and true.
    int64_t integer;
} event_value;

/// Sets one member by its name, as if it had been read; a name that is not known changes nothing.
///
/// The members of the objects `agent` and `link` are set by themselves; the text of `data` must be valid.
void event_members_set(
    event_members *members, event_level level, const uint8_t *name, size_t name_count, event_value value);

/// Whether a text is one JSON value, as far as `event_parser_read` looks at what is not an event.
///
/// @param bytes the text
/// @param count how long it is
/// @param readable as for `event_parser_read`
event_status event_parser_validate(event_parser *parser, const uint8_t *bytes, size_t count, size_t readable);

/// Finds the next line that is not blank.
///
/// @param at where to begin; moved behind the line
/// @param end the end of the text
/// @param item the line without white space at its ends
/// @param count how long it is
/// @return false when there is none
bool event_next_line(const uint8_t **at, const uint8_t *end, const uint8_t **item, size_t *count);

/// What `event_next_element` found.
typedef enum event_element {
    EVENT_ELEMENT = 0,
    EVENT_ARRAY_END,
    EVENT_ARRAY_MALFORMED,
} event_element;

/// Finds the next element of an array, without looking into it more than its brackets and strings.
///
/// @param at where to begin: behind the opening bracket, later behind the last element; moved
/// @param end the end of the text
/// @param first whether no element was read yet
/// @param item the element without white space at its ends
/// @param count how long it is
/// @return EVENT_ARRAY_END only when nothing but white space follows the closing bracket
event_element event_next_element(
    const uint8_t **at, const uint8_t *end, bool first, const uint8_t **item, size_t *count);

/// A well-mixed 64-bit hash of what an event says; the same in every process and version, not fit against an adversary.
///
/// Of the members that we know but `id` and `source`; `time` is the caller's, who knows the moment behind the text. The form,
/// the order, escapes, and white space outside of strings make no difference.
///
/// @param members what `event_parser_read` found
/// @param time the moment of `time`, or 0
uint64_t event_hash(const event_members *members, int64_t time);

#ifdef __cplusplus
}
#endif
