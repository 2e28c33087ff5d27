package switchboard;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * JSON as maps, lists, strings, numbers (Long, else BigDecimal), booleans and null. The standard library has no JSON; replace this
 * class by the library that your program has.
 */
public final class Json {
    private static final int MAX_DEPTH = 64;

    private final String text;
    private int place;
    private int depth;

    private Json(String text) {
        this.text = text;
    }

    /** Reads a text; throws IllegalArgumentException where it is not JSON. */
    public static Object parse(String text) {
        Json parser = new Json(text);
        Object value = parser.value();
        parser.space();
        if (parser.place != text.length()) throw parser.wrong();
        return value;
    }

    /** Writes maps, lists, strings, numbers, booleans and null. */
    public static String write(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    /** The member of an object; null when it is absent or null, or the value is no object. */
    public static Object member(Object value, String name) {
        return value instanceof Map<?, ?> map ? map.get(name) : null;
    }

    /** The member of an object as a text; null when it is something else. */
    public static String text(Object value, String name) {
        return member(value, name) instanceof String text ? text : null;
    }

    /** The member of an object as a whole number; null when it is something else. */
    public static Long number(Object value, String name) {
        return member(value, name) instanceof Long number ? number : null;
    }

    /** The member of an object as a list; empty when it is something else. */
    public static List<Object> list(Object value, String name) {
        return member(value, name) instanceof List<?> list ? new ArrayList<>(list) : List.of();
    }

    private static void write(Object value, StringBuilder out) {
        if (value == null || value instanceof Boolean || value instanceof Number) {
            out.append(value);
        } else if (value instanceof Map<?, ?> map) {
            String separator = "{";
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                out.append(separator);
                quote(String.valueOf(entry.getKey()), out);
                out.append(':');
                write(entry.getValue(), out);
                separator = ",";
            }
            out.append(map.isEmpty() ? "{}" : "}");
        } else if (value instanceof List<?> list) {
            String separator = "[";
            for (Object item : list) {
                out.append(separator);
                write(item, out);
                separator = ",";
            }
            out.append(list.isEmpty() ? "[]" : "]");
        } else {
            quote(value.toString(), out);
        }
    }

    private static void quote(String text, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') out.append('\\').append(c);
            else if (c < 0x20) out.append(String.format("\\u%04x", (int) c));
            else out.append(c);
        }
        out.append('"');
    }

    private Object value() {
        space();
        if (place == text.length() || ++depth > MAX_DEPTH) throw wrong();
        char c = text.charAt(place);
        Object value;
        if (c == '{') value = object();
        else if (c == '[') value = array();
        else if (c == '"') value = string();
        else if (skip("true")) value = true;
        else if (skip("false")) value = false;
        else if (skip("null")) value = null;
        else value = number();
        depth--;
        return value;
    }

    private Map<String, Object> object() {
        Map<String, Object> map = new LinkedHashMap<>();
        place++;
        if (next('}')) return map;
        do {
            space();
            if (place == text.length() || text.charAt(place) != '"') throw wrong();
            String name = string();
            if (!next(':')) throw wrong();
            map.put(name, value());
        } while (next(','));
        if (!next('}')) throw wrong();
        return map;
    }

    private List<Object> array() {
        List<Object> list = new ArrayList<>();
        place++;
        if (next(']')) return list;
        do {
            list.add(value());
        } while (next(','));
        if (!next(']')) throw wrong();
        return list;
    }

    private String string() {
        StringBuilder out = new StringBuilder();
        for (place++; place < text.length(); place++) {
            char c = text.charAt(place);
            if (c == '"') {
                place++;
                return out.toString();
            }
            if (c < 0x20) throw wrong();
            if (c != '\\') {
                out.append(c);
                continue;
            }
            if (++place == text.length()) throw wrong();
            switch (text.charAt(place)) {
                case 'b' -> out.append('\b');
                case 'f' -> out.append('\f');
                case 'n' -> out.append('\n');
                case 'r' -> out.append('\r');
                case 't' -> out.append('\t');
                case '"', '\\', '/' -> out.append(text.charAt(place));
                case 'u' -> {
                    if (place + 4 >= text.length()) throw wrong();
                    try {
                        out.append((char) Integer.parseInt(text.substring(place + 1, place + 5), 16));
                    } catch (NumberFormatException e) {
                        throw wrong();
                    }
                    place += 4;
                }
                default -> throw wrong();
            }
        }
        throw wrong();
    }

    private Object number() {
        int start = place;
        while (place < text.length() && "+-.0123456789eE".indexOf(text.charAt(place)) >= 0) place++;
        String digits = text.substring(start, place);
        try {
            return Long.valueOf(digits);
        } catch (NumberFormatException e) {
            try {
                return new BigDecimal(digits);
            } catch (NumberFormatException other) {
                throw wrong();
            }
        }
    }

    private boolean next(char wanted) {
        space();
        if (place == text.length() || text.charAt(place) != wanted) return false;
        place++;
        return true;
    }

    private boolean skip(String word) {
        if (!text.startsWith(word, place)) return false;
        place += word.length();
        return true;
    }

    private void space() {
        while (place < text.length() && " \t\r\n".indexOf(text.charAt(place)) >= 0) place++;
    }

    private IllegalArgumentException wrong() {
        return new IllegalArgumentException("not JSON at character " + place);
    }
}
