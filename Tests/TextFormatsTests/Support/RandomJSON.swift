import Foundation
import TestSupport
import TextFormats

/// Random documents from a seed, with random white space and escapes.
struct RandomJSON {
    private var random: SplitMix

    init(seed: UInt64) { random = SplitMix(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ 1) }

    private mutating func below(_ limit: UInt64) -> UInt64 { random.next() % limit }

    mutating func value(depth: Int) -> StrictJSON {
        switch below(depth < 5 ? 8 : 5) {
        case 0: return .null
        case 1: return .bool(below(2) == 0)
        case 2: return .integer(Int64(below(4_000_000_000)) - 2_000_000_000)
        case 3: return .otherNumber(["1.5", "-0.25", "2E3", "1e-2"][Int(below(4))])
        case 4: return .string(string())
        case 5: return .array((0..<below(5)).map { _ in value(depth: depth + 1) })
        default:
            var members: StrictJSON.Members = [:]
            for _ in 0..<below(5) { members[BoundedName(known: string())] = value(depth: depth + 1) }
            return .object(members)
        }
    }

    private mutating func string() -> String {
        let alphabet: [String] = [
            "a", "Z", "0", " ", "\"", "\\", "/", "\n", "\t", "é", "ß", "漢", "😀", "\u{7F}", "\u{1}", "-",
        ]
        var text = ""
        for _ in 0..<below(9) { text += alphabet[Int(below(UInt64(alphabet.count)))] }
        return text
    }

    private mutating func space() -> String { ["", "", "", " ", "\n", "\t\r "][Int(below(6))] }

    mutating func text(of value: StrictJSON) -> String {
        let inner: String
        switch value {
        case .null: inner = "null"
        case .bool(let bool): inner = bool ? "true" : "false"
        case .integer(let integer): inner = "\(integer)"
        case .otherNumber(let number): inner = number
        case .string(let string): inner = text(of: string)
        case .array(let items):
            var parts: [String] = []
            for item in items { parts.append(text(of: item)) }
            inner = "[" + (parts.isEmpty ? space() : parts.joined(separator: ",")) + "]"
        case .object(let members):
            var parts: [String] = []
            for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                parts.append(space() + text(of: name.text) + space() + ":" + text(of: member))
            }
            inner = "{" + (parts.isEmpty ? space() : parts.joined(separator: ",")) + "}"
        }
        return space() + inner + space()
    }

    private mutating func text(of string: String) -> String {
        var text = "\""
        for scalar in string.unicodeScalars {
            if scalar.value < 0x20 || scalar == "\"" || scalar == "\\" || below(4) == 0 {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16, uppercase: below(2) == 0)
                    text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }

    /// Returns whether a value that Foundation parsed is the same.
    static func equal(_ theirs: Any, _ ours: StrictJSON) -> Bool {
        switch ours {
        case .null: return theirs is NSNull
        case .bool(let bool): return (theirs as? NSNumber)?.boolValue == bool
        case .integer(let integer): return (theirs as? NSNumber)?.int64Value == integer
        case .otherNumber(let number): return (theirs as? NSNumber)?.doubleValue == Double(number)
        case .string(let string): return (theirs as? String).map { Array($0.utf8) == Array(string.utf8) } ?? false
        case .array(let items):
            guard let array = theirs as? [Any], array.count == items.count else { return false }
            return zip(array, items).allSatisfy { equal($0, $1) }
        case .object(let members):
            guard let object = theirs as? [String: Any], object.count == members.count else { return false }
            return members.allSatisfy { name, member in object[name.text].map { equal($0, member) } ?? false }
        }
    }
}
