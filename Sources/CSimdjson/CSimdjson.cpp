#include "CSimdjson.h"

#define SIMDJSON_EXCEPTIONS 0
#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string_view>
#include <vector>

using simdjson::dom::element;
using simdjson::dom::element_type;
using simdjson::dom::object;

struct event_parser {
    event_parser(size_t max_bytes, size_t max_depth)
        : dom(max_bytes), max_bytes(max_bytes), max_depth(max_depth) {}

    simdjson::dom::parser dom;
    size_t max_bytes;
    size_t max_depth;
    // Names of members that we do not know, to find those that stand twice.
    std::vector<std::string_view> unknown;
};

namespace {

event_text text_of(std::string_view view) {
    return {reinterpret_cast<const uint8_t *>(view.data()), view.size(), EVENT_VALUE};
}

void take(event_text &target, element value) {
    std::string_view view;
    if (value.get_string().get(view) == simdjson::SUCCESS) {
        target = text_of(view);
    } else {
        target.shape = value.is_null() ? EVENT_NULL : EVENT_WRONG_TYPE;
    }
}

void take(event_integer &target, element value) {
    int64_t number;
    if (value.type() == element_type::INT64 && value.get_int64().get(number) == simdjson::SUCCESS) {
        target = {number, EVENT_VALUE};
    } else {
        target.shape = value.is_null() ? EVENT_NULL : EVENT_WRONG_TYPE;
    }
}

void take(event_flag &target, element value) {
    bool flag;
    if (value.get_bool().get(flag) == simdjson::SUCCESS) {
        target = {flag, EVENT_VALUE};
    } else {
        target.shape = value.is_null() ? EVENT_NULL : EVENT_WRONG_TYPE;
    }
}

// A value that was not read from text.
void take(event_text &target, const event_value &value) {
    if (value.kind == EVENT_STRING) {
        target = {value.bytes, value.count, EVENT_VALUE};
    } else {
        target.shape = value.kind == EVENT_NOTHING ? EVENT_NULL : EVENT_WRONG_TYPE;
    }
}

void take(event_integer &target, const event_value &value) {
    if (value.kind == EVENT_INTEGER) {
        target = {value.integer, EVENT_VALUE};
    } else {
        target.shape = value.kind == EVENT_NOTHING ? EVENT_NULL : EVENT_WRONG_TYPE;
    }
}

void take(event_flag &target, const event_value &value) {
    if (value.kind == EVENT_BOOLEAN) {
        target = {value.integer != 0, EVENT_VALUE};
    } else {
        target.shape = value.kind == EVENT_NOTHING ? EVENT_NULL : EVENT_WRONG_TYPE;
    }
}

// Walks the tokens that simdjson's first stage found, to get at the text of a value: the tape does not keep it.
class tokens {
public:
    tokens(const simdjson::dom::parser &parser, const uint8_t *bytes, size_t count)
        : bytes(bytes), count(count) {
        if (parser.implementation) {
            indexes = parser.implementation->structural_indexes.get();
            end = indexes == nullptr ? 0 : parser.implementation->n_structural_indexes;
        }
    }

    bool done() const { return position >= end || indexes[position] >= count; }
    size_t offset() const { return indexes[position]; }
    uint8_t head() const { return bytes[indexes[position]]; }
    void advance() { position += 1; }

    // Steps over one value; what it left behind is the end of the last token, for objects and arrays exact.
    size_t skip_value() {
        size_t depth = 0;
        size_t last = 0;
        while (!done()) {
            uint8_t byte = head();
            last = offset();
            if (byte == '{' || byte == '[') {
                depth += 1;
            } else if (byte == '}' || byte == ']') {
                if (depth > 0) { depth -= 1; }
            }
            advance();
            if (depth == 0) { break; }
        }
        return last + 1;
    }

    // From the opening brace of an object to the value of the member with this ordinal; the document is valid.
    void enter(size_t ordinal) {
        advance(); // {
        for (size_t member = 0; member < ordinal && !done(); member += 1) {
            advance(); // name
            advance(); // :
            skip_value();
            advance(); // ,
        }
        advance(); // name
        advance(); // :
    }

    // The text of the value that comes next.
    event_text raw_value() {
        if (done()) { return {nullptr, 0, EVENT_WRONG_TYPE}; }
        size_t start = offset();
        return {bytes + start, skip_value() - start, EVENT_VALUE};
    }

private:
    const uint8_t *bytes;
    size_t count;
    const uint32_t *indexes = nullptr;
    size_t end = 0;
    size_t position = 0;
};

bool is_digit(uint8_t byte) { return byte >= '0' && byte <= '9'; }

// Whether a token that simdjson refused as a number follows the grammar all the same, so that only its size is wrong.
bool is_number(const uint8_t *at, const uint8_t *end) {
    if (at < end && *at == '-') { at += 1; }
    if (at == end || !is_digit(*at)) { return false; }
    if (*at == '0') {
        at += 1;
    } else {
        while (at < end && is_digit(*at)) { at += 1; }
    }
    if (at < end && *at == '.') {
        at += 1;
        if (at == end || !is_digit(*at)) { return false; }
        while (at < end && is_digit(*at)) { at += 1; }
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        at += 1;
        if (at < end && (*at == '+' || *at == '-')) { at += 1; }
        if (at == end || !is_digit(*at)) { return false; }
        while (at < end && is_digit(*at)) { at += 1; }
    }
    return at == end || *at == ',' || *at == '}' || *at == ']' || *at == ' ' || *at == '\n' || *at == '\r' || *at == '\t';
}

// Names the member of an object whose number is too large, if it is the value of a member with a plain name: the last one.
void find_number(tokens &walk, const uint8_t *bytes, const uint8_t *end, bool in_envelope, event_members *members) {
    walk.advance(); // {
    while (!walk.done() && walk.head() == '"') {
        const uint8_t *name = bytes + walk.offset() + 1;
        const uint8_t *close = name;
        while (close < end && *close != '"' && *close != '\\') { close += 1; }
        walk.advance();
        walk.advance(); // :
        if (walk.done()) { break; }
        uint8_t byte = walk.head();
        if ((byte == '-' || is_digit(byte)) && close < end && *close == '"') {
            const uint8_t *start = bytes + walk.offset();
            const uint8_t *stop = start;
            bool plain = true;
            while (stop < end && (is_digit(*stop) || *stop == '-' || *stop == '+' || *stop == '.' || (*stop | 0x20) == 'e')) {
                plain = plain && (is_digit(*stop) || *stop == '-');
                stop += 1;
            }
            // 19 digits and a sign always fit; a double only overflows with an exponent or hundreds of digits.
            if (stop - start > 19 || !plain) {
                members->fault = {name, size_t(close - name), EVENT_VALUE};
                members->fault_in_payload = false;
            }
        } else if (in_envelope && byte == '{' && close - name == 4 && std::memcmp(name, "data", 4) == 0) {
            event_text before = members->fault;
            members->fault.shape = EVENT_ABSENT;
            tokens inner = walk;
            find_number(inner, bytes, end, false, members);
            members->fault_in_payload = members->fault.shape == EVENT_VALUE;
            if (!members->fault_in_payload) { members->fault = before; }
        }
        walk.skip_value();
        walk.advance(); // ,
    }
}

// simdjson has one error for numbers that are malformed and for some that are too large: tells the two apart.
event_status classify_number(
    const simdjson::dom::parser &parser, const uint8_t *bytes, size_t count, event_form form, event_members *members) {
    const uint8_t *end = bytes + count;
    tokens walk(parser, bytes, count);
    for (tokens all = walk; !all.done(); all.advance()) {
        uint8_t byte = all.head();
        if ((byte == '-' || is_digit(byte)) && !is_number(bytes + all.offset(), end)) { return EVENT_SYNTAX; }
    }
    if (!walk.done() && walk.head() == '{') { find_number(walk, bytes, end, form == EVENT_ENVELOPE, members); }
    return EVENT_NUMBER;
}

// Finds a name that stands twice among the unknown ones; the list may be reordered.
const std::string_view *repeated(std::vector<std::string_view> &names) {
    if (names.size() < 2) { return nullptr; }
    std::sort(names.begin(), names.end());
    auto found = std::adjacent_find(names.begin(), names.end());
    return found == names.end() ? nullptr : &*found;
}

struct duplicate {
    bool found = false;
    std::string_view name;
};

// Reads one level: `known` gets each member and answers its bit, or 0 when it does not know it.
template <typename Known>
duplicate read_level(object source, std::vector<std::string_view> &unknown, Known known) {
    uint64_t seen = 0;
    unknown.clear();
    size_t ordinal = 0;
    for (auto member : source) {
        uint64_t bit = known(member.key, member.value, ordinal);
        ordinal += 1;
        if (bit == 0) {
            unknown.push_back(member.key);
        } else if (seen & bit) {
            return {true, member.key};
        }
        seen |= bit;
    }
    if (const std::string_view *name = repeated(unknown)) { return {true, *name}; }
    return {};
}

event_shape shape_of(element value) {
    if (value.is_object()) { return EVENT_VALUE; }
    return value.is_null() ? EVENT_NULL : EVENT_WRONG_TYPE;
}

// The text of an object is found when the level has been read.
void take_object(event_text &target, element value) { target.shape = shape_of(value); }

event_shape shape_of(const event_value &value) {
    if (value.kind == EVENT_OBJECT) { return EVENT_VALUE; }
    return value.kind == EVENT_NOTHING ? EVENT_NULL : EVENT_WRONG_TYPE;
}

void take_object(event_text &target, const event_value &value) {
    target = {value.bytes, value.count, shape_of(value)};
}

// What stands in a level and is read when the level has been.
template <typename Value>
struct inner_values {
    size_t data_ordinal = 0;
    Value agent;
    Value link;
};

// An attribute that plain events and CloudEvents have alike, both at the top; 0 for other names.
template <typename Value>
uint64_t take_attribute(std::string_view name, Value value, event_members *out) {
    if (name == "id") { take(out->identifier, value); return 1u << 0; }
    if (name == "type") { take(out->type, value); return 1u << 1; }
    if (name == "time") { take(out->time, value); return 1u << 2; }
    if (name == "source") { take(out->source, value); return 1u << 3; }
    return 0;
}

// A member that CloudEvents have in their `data`; 0 for other names.
template <typename Value>
uint64_t take_member(
    std::string_view name, Value value, size_t ordinal, event_members *out, inner_values<Value> &inner) {
    // The length first, so that most names are told by one comparison of bytes.
    switch (name.size()) {
    case 4:
        if (name == "text") { take(out->text, value); return 1u << 4; }
        if (name == "data") {
            take_object(out->data, value);
            inner.data_ordinal = ordinal;
            return 1u << 5;
        }
        if (name == "link") {
            out->link = shape_of(value);
            inner.link = value;
            return 1u << 6;
        }
        if (name == "kind") { take(out->kind, value); return 1u << 7; }
        break;
    case 5:
        if (name == "agent") {
            out->agent = shape_of(value);
            inner.agent = value;
            return 1u << 8;
        }
        if (name == "title") { take(out->title, value); return 1u << 9; }
        if (name == "sound") { take(out->sound, value); return 1u << 10; }
        break;
    case 6:
        if (name == "dialog") { take(out->dialog, value); return 1u << 11; }
        if (name == "silent") { take(out->silent, value); return 1u << 12; }
        break;
    case 8:
        if (name == "consumer") { take(out->consumer, value); return 1u << 13; }
        if (name == "priority") { take(out->priority, value); return 1u << 14; }
        if (name == "category") { take(out->category, value); return 1u << 15; }
        if (name == "campaign") { take(out->campaign, value); return 1u << 16; }
        break;
    case 10:
        if (name == "ttlSeconds") { take(out->ttl_seconds, value); return 1u << 17; }
        break;
    case 11:
        if (name == "collapseKey") { take(out->collapse_key, value); return 1u << 18; }
        break;
    case 12:
        if (name == "conversation") { take(out->conversation, value); return 1u << 19; }
        if (name == "upToSequence") { take(out->up_to_sequence, value); return 1u << 20; }
        break;
    case 13:
        if (name == "upToMessageId") { take(out->up_to_message, value); return 1u << 21; }
        break;
    case 14:
        if (name == "sourceSequence") { take(out->source_sequence, value); return 1u << 22; }
        break;
    case 15:
        if (name == "lookBackSeconds") { take(out->look_back_seconds, value); return 1u << 23; }
        if (name == "consentCategory") { take(out->consent_category, value); return 1u << 25; }
        break;
    case 18:
        if (name == "upToSourceSequence") { take(out->up_to_source_sequence, value); return 1u << 24; }
        break;
    default:
        break;
    }
    return 0;
}

// A member of `agent`; 0 for other names.
template <typename Value>
uint64_t take_in_agent(std::string_view name, Value value, event_members *out) {
    if (name == "id") { take(out->agent_identifier, value); return 1; }
    if (name == "nickname") { take(out->agent_nickname, value); return 2; }
    return 0;
}

// A member of `link`; 0 for other names.
template <typename Value>
uint64_t take_in_link(std::string_view name, Value value, event_members *out) {
    if (name == "ios") { take(out->link_ios, value); return 1; }
    if (name == "android") { take(out->link_android, value); return 2; }
    if (name == "web") { take(out->link_web, value); return 4; }
    return 0;
}

// Reads the level with the event's own members; `walk` stands at its opening brace.
event_status read_level_of_members(
    event_parser *parser, object level, bool has_attributes, tokens walk, event_members *out) {
    inner_values<element> inner;
    auto twice = read_level(level, parser->unknown, [&](std::string_view name, element value, size_t ordinal) -> uint64_t {
        if (has_attributes && name.size() <= 6) {
            if (uint64_t bit = take_attribute(name, value, out)) { return bit; }
        }
        return take_member(name, value, ordinal, out, inner);
    });
    if (twice.found) {
        out->fault = text_of(twice.name);
        return EVENT_DUPLICATE;
    }
    object deeper;
    if (out->agent == EVENT_VALUE && inner.agent.get_object().get(deeper) == simdjson::SUCCESS) {
        auto in_agent = read_level(deeper, parser->unknown, [&](std::string_view name, element value, size_t) -> uint64_t {
            return take_in_agent(name, value, out);
        });
        if (in_agent.found) {
            out->fault = text_of(in_agent.name);
            out->fault_parent = text_of("agent");
            return EVENT_DUPLICATE;
        }
    }
    if (out->link == EVENT_VALUE && inner.link.get_object().get(deeper) == simdjson::SUCCESS) {
        auto in_link = read_level(deeper, parser->unknown, [&](std::string_view name, element value, size_t) -> uint64_t {
            return take_in_link(name, value, out);
        });
        if (in_link.found) {
            out->fault = text_of(in_link.name);
            out->fault_parent = text_of("link");
            return EVENT_DUPLICATE;
        }
    }
    if (out->data.shape == EVENT_VALUE) {
        walk.enter(inner.data_ordinal);
        out->data = walk.raw_value();
    }
    return EVENT_READ;
}

event_status read_members(
    event_parser *parser, element root, const uint8_t *bytes, size_t count, event_form form, event_members *out) {
    object top;
    if (root.get_object().get(top) != simdjson::SUCCESS) { return EVENT_NOT_OBJECT; }
    tokens walk(parser->dom, bytes, count);
    if (form != EVENT_ENVELOPE) { return read_level_of_members(parser, top, form == EVENT_PLAIN, walk, out); }
    // The members in `data` wait until all attributes have been read, in whatever order they stand.
    element payload;
    size_t payload_ordinal = 0;
    auto twice = read_level(top, parser->unknown, [&](std::string_view name, element value, size_t ordinal) -> uint64_t {
        if (uint64_t bit = take_attribute(name, value, out)) { return bit; }
        if (name == "data") {
            out->payload = shape_of(value);
            payload = value;
            payload_ordinal = ordinal;
            return 1u << 4;
        }
        if (name == "specversion") { take(out->spec_version, value); return 1u << 5; }
        if (name == "datacontenttype") { take(out->content_type, value); return 1u << 6; }
        if (name == "data_base64") {
            out->base64 = value.is_null() ? EVENT_NULL : EVENT_WRONG_TYPE;
            return 1u << 7;
        }
        return 0;
    });
    if (twice.found) {
        out->fault = text_of(twice.name);
        return EVENT_DUPLICATE;
    }
    if (out->payload != EVENT_VALUE || payload.get_object().get(top) != simdjson::SUCCESS) { return EVENT_READ; }
    walk.enter(payload_ordinal);
    event_status status = read_level_of_members(parser, top, false, walk, out);
    out->fault_in_payload = status == EVENT_DUPLICATE;
    return status;
}

// Parses, with room made first; answers in our words.
event_status parse(event_parser *parser, const uint8_t *bytes, size_t count, bool copies, element &root, bool &number) {
    number = false;
    if (count == 0) { return EVENT_SYNTAX; }
    if (count > parser->max_bytes) { return EVENT_TOO_LARGE; }
    if (parser->dom.capacity() < count) {
        // Twice as much, so that a growing text is not made room for again and again; a parser that failed to grow has none.
        size_t wanted = std::min(std::max(count, parser->dom.capacity() * 2), parser->max_bytes);
        if (parser->dom.allocate(wanted, parser->max_depth) != simdjson::SUCCESS) { return EVENT_MEMORY; }
    }
    switch (parser->dom.parse(bytes, count, copies).get(root)) {
    case simdjson::SUCCESS:
        return EVENT_READ;
    case simdjson::UTF8_ERROR:
        return EVENT_ENCODING;
    case simdjson::DEPTH_ERROR:
        return EVENT_DEPTH;
    case simdjson::NUMBER_ERROR:
    case simdjson::NUMBER_OUT_OF_RANGE:
        number = true;
        return EVENT_NUMBER;
    case simdjson::CAPACITY:
        return EVENT_TOO_LARGE;
    case simdjson::MEMALLOC:
        return EVENT_MEMORY;
    default:
        return EVENT_SYNTAX;
    }
}

// 64 bytes at a time, and a bit for each.
typedef uint8_t block __attribute__((ext_vector_type(64)));
typedef bool block_bits __attribute__((ext_vector_type(64)));

static inline uint64_t bits_of(const block &bytes, uint8_t value) {
    return __builtin_bit_cast(uint64_t, __builtin_convertvector(bytes == value, block_bits));
}

// The comma or bracket that ends the element of an array which begins here, or nullptr. Looks at quotes, brackets and commas
// alone: what it takes for an element is parsed afterwards.
const uint8_t *find_element_end(const uint8_t *start, const uint8_t *end) {
    size_t depth = 0;
    uint64_t was_inside = 0;
    bool was_escape = false;
    for (const uint8_t *at = start; at < end; at += sizeof(block)) {
        block bytes = 0;
        if (size_t(end - at) >= sizeof(block)) {
            std::memcpy(&bytes, at, sizeof(block));
        } else {
            std::memcpy(&bytes, at, size_t(end - at));
        }
        uint64_t quotes = bits_of(bytes, '"');
        uint64_t slashes = bits_of(bytes, '\\');
        if (slashes != 0 || was_escape) {
            uint64_t escaped = was_escape ? 1 : 0;
            was_escape = false;
            for (; slashes != 0; slashes &= slashes - 1) {
                uint64_t slash = slashes & -slashes;
                if (escaped & slash) { continue; }
                escaped |= slash << 1;
                was_escape = slash >> 63 != 0;
            }
            quotes &= ~escaped;
        }
        // From each opening quote up to its closing one.
        uint64_t inside = quotes;
        for (int shift = 1; shift < 64; shift *= 2) { inside ^= inside << shift; }
        inside ^= was_inside;
        was_inside = inside >> 63 != 0 ? ~uint64_t(0) : 0;
        // { and [, } and ] differ by one bit.
        block folded = bytes | 0x20;
        uint64_t opening = bits_of(folded, '{');
        uint64_t closing = bits_of(folded, '}');
        uint64_t marks = (opening | closing | bits_of(bytes, ',')) & ~inside;
        for (; marks != 0; marks &= marks - 1) {
            uint64_t mark = marks & -marks;
            if (opening & mark) {
                depth += 1;
            } else if (closing & mark) {
                if (depth == 0) { return at + __builtin_ctzll(mark); }
                depth -= 1;
            } else if (depth == 0) {
                return at + __builtin_ctzll(mark);
            }
        }
    }
    return nullptr;
}

bool is_space(uint8_t byte) { return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t'; }

} // namespace

event_parser *event_parser_new(size_t max_bytes, size_t max_depth) {
    try {
        auto *parser = new event_parser(max_bytes, max_depth);
        // Room for one ordinary event; grows by doubling.
        if (parser->dom.allocate(std::min<size_t>(max_bytes, 4096), max_depth) != simdjson::SUCCESS) {
            delete parser;
            return nullptr;
        }
        return parser;
    } catch (...) {
        return nullptr;
    }
}

void event_parser_delete(event_parser *parser) { delete parser; }

size_t event_parser_capacity(const event_parser *parser) { return parser->dom.capacity(); }

event_status event_parser_read(
    event_parser *parser, const uint8_t *bytes, size_t count, size_t readable, event_form form, event_members *members) {
    std::memset(members, 0, sizeof(event_members));
    try {
        element root;
        bool number;
        bool copies = readable - count < simdjson::SIMDJSON_PADDING;
        event_status status = parse(parser, bytes, count, copies, root, number);
        if (number) { return classify_number(parser->dom, bytes, count, form, members); }
        return status == EVENT_READ ? read_members(parser, root, bytes, count, form, members) : status;
    } catch (...) {
        return EVENT_MEMORY;
    }
}

void event_members_set(
    event_members *members, event_level level, const uint8_t *name, size_t name_count, event_value value) {
    std::string_view view(reinterpret_cast<const char *>(name), name_count);
    switch (level) {
    case EVENT_TOP: {
        inner_values<event_value> inner;
        if (take_attribute(view, value, members) == 0) { take_member(view, value, 0, members, inner); }
        break;
    }
    case EVENT_AGENT:
        take_in_agent(view, value, members);
        break;
    case EVENT_LINK:
        take_in_link(view, value, members);
        break;
    }
}

event_status event_parser_validate(event_parser *parser, const uint8_t *bytes, size_t count, size_t readable) {
    try {
        element root;
        bool number;
        bool copies = readable - count < simdjson::SIMDJSON_PADDING;
        event_status status = parse(parser, bytes, count, copies, root, number);
        if (!number) { return status; }
        event_members members;
        std::memset(&members, 0, sizeof(members));
        return classify_number(parser->dom, bytes, count, EVENT_PLAIN, &members);
    } catch (...) {
        return EVENT_MEMORY;
    }
}

bool event_next_line(const uint8_t **at, const uint8_t *end, const uint8_t **item, size_t *count) {
    const uint8_t *start = *at;
    while (start < end) {
        const void *found = std::memchr(start, '\n', size_t(end - start));
        const uint8_t *stop = found == nullptr ? end : static_cast<const uint8_t *>(found);
        const uint8_t *next = found == nullptr ? end : stop + 1;
        while (start < stop && is_space(*start)) { start += 1; }
        while (stop > start && is_space(stop[-1])) { stop -= 1; }
        if (start < stop) {
            *at = next;
            *item = start;
            *count = size_t(stop - start);
            return true;
        }
        start = next;
    }
    *at = end;
    return false;
}

event_element event_next_element(
    const uint8_t **at, const uint8_t *end, bool first, const uint8_t **item, size_t *count) {
    const uint8_t *position = *at;
    while (position < end && is_space(*position)) { position += 1; }
    if (position == end) { return EVENT_ARRAY_MALFORMED; }
    if (*position == ']') {
        position += 1;
        while (position < end && is_space(*position)) { position += 1; }
        *at = position;
        return position == end ? EVENT_ARRAY_END : EVENT_ARRAY_MALFORMED;
    }
    if (!first) {
        if (*position != ',') { return EVENT_ARRAY_MALFORMED; }
        position += 1;
        while (position < end && is_space(*position)) { position += 1; }
    }
    const uint8_t *start = position;
    position = find_element_end(start, end);
    if (position == nullptr) { return EVENT_ARRAY_MALFORMED; }
    *at = position;
    const uint8_t *stop = position;
    while (stop > start && is_space(stop[-1])) { stop -= 1; }
    if (stop == start) { return EVENT_ARRAY_MALFORMED; }
    *item = start;
    *count = size_t(stop - start);
    return EVENT_ELEMENT;
}

namespace {

// Two words at a time, each pair folded through a 128-bit product; odd constants with about half their bits set.
class hasher {
public:
    void word(uint64_t value, uint64_t tag) { fold(value ^ first, tag ^ second); }

    // The tag tells the members apart, so that a text may not wander from one to another.
    void text(const event_text &text, uint64_t tag) {
        if (text.shape == EVENT_VALUE) { bytes(text.bytes, text.count, tag); }
    }

    void integer(const event_integer &integer, uint64_t tag) {
        if (integer.shape == EVENT_VALUE) { word(uint64_t(integer.value), tag); }
    }

    void flag(const event_flag &flag, uint64_t tag) {
        if (flag.shape == EVENT_VALUE) { word(flag.value ? 1 : 0, tag); }
    }

    // JSON text without the white space outside of its strings: what passes it on may set it anew.
    void json(const event_text &text, uint64_t tag) {
        if (text.shape != EVENT_VALUE) { return; }
        uint8_t block[256];
        size_t used = 0;
        bool in_string = false;
        for (size_t at = 0; at < text.count; at += 1) {
            uint8_t byte = text.bytes[at];
            if (!in_string && (byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t')) { continue; }
            // With its escape in one block, which has room for both.
            if (in_string && byte == '\\' && at + 1 < text.count) {
                block[used++] = byte;
                byte = text.bytes[++at];
            } else if (byte == '"') {
                in_string = !in_string;
            }
            block[used++] = byte;
            if (used >= sizeof(block) - 1) {
                bytes(block, used, tag);
                used = 0;
            }
        }
        bytes(block, used, tag);
    }

    uint64_t finish() const {
        uint64_t mixed = state ^ (state >> 31);
        mixed *= 0x94D049BB133111EBu;
        return mixed ^ (mixed >> 29);
    }

private:
    static constexpr uint64_t first = 0x9E3779B97F4A7C15u;
    static constexpr uint64_t second = 0xD6E8FEB86659FD93u;
    uint64_t state = first;

    void fold(uint64_t left, uint64_t right) {
        unsigned __int128 product = static_cast<unsigned __int128>(state ^ left) * (right + state);
        state = static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
    }

    void bytes(const uint8_t *bytes, size_t count, uint64_t tag) {
        uint64_t ending = (uint64_t(count) << 8) ^ tag;
        while (count >= 16) {
            uint64_t pair[2];
            std::memcpy(pair, bytes, 16);
            fold(pair[0] ^ first, pair[1] ^ second);
            bytes += 16;
            count -= 16;
        }
        uint64_t tail[2] = {0, 0};
        std::memcpy(tail, bytes, count);
        fold(tail[0] ^ second, tail[1] ^ (ending * first));
    }
};

} // namespace

uint64_t event_hash(const event_members *members, int64_t time) {
    // The tags are stored with the hash: a new member gets a new one.
    hasher hash;
    hash.text(members->type, 1);
    hash.text(members->consumer, 2);
    hash.text(members->conversation, 3);
    hash.text(members->dialog, 4);
    hash.integer(members->source_sequence, 5);
    hash.text(members->agent_identifier, 6);
    hash.text(members->agent_nickname, 7);
    hash.text(members->text, 8);
    hash.text(members->title, 9);
    hash.json(members->data, 10);
    hash.text(members->link_ios, 11);
    hash.text(members->link_android, 12);
    hash.text(members->link_web, 13);
    hash.text(members->priority, 14);
    hash.integer(members->ttl_seconds, 15);
    hash.text(members->collapse_key, 16);
    hash.text(members->category, 17);
    hash.text(members->sound, 18);
    hash.flag(members->silent, 19);
    hash.word(uint64_t(time), 20);
    hash.text(members->kind, 21);
    hash.integer(members->look_back_seconds, 22);
    hash.text(members->campaign, 23);
    hash.integer(members->up_to_sequence, 24);
    hash.integer(members->up_to_source_sequence, 25);
    hash.text(members->up_to_message, 26);
    hash.text(members->consent_category, 27);
    return hash.finish();
}
