#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Whether two texts in memory are the same bytes; also when both are empty.
@usableFromInline
package func areSameBytes(_ first: UnsafeBufferPointer<UInt8>, _ second: UnsafeBufferPointer<UInt8>) -> Bool {
    guard first.count == second.count, let one = first.baseAddress, let other = second.baseAddress else {
        return first.isEmpty && second.isEmpty
    }
    return memcmp(one, other, first.count) == 0
}

/// Whether all bytes of a text in memory are ASCII.
@usableFromInline
func areASCII(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    // All bytes are read, eight and more at once, which is faster than to stop at the first that is not ASCII.
    text.reduce(0, |) < 0x80
}

/// Whether a text in memory begins with a lower-case word, compared case-insensitively for ASCII letters.
@usableFromInline
func areSameLetters(_ text: UnsafeBufferPointer<UInt8>, _ word: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count >= word.count else { return false }
    for place in word.indices where text[place].asciiLowercased != word[place] { return false }
    return true
}

extension String {
    /// Whether this text and another are the same bytes of UTF-8; takes time in proportion to the shorter one.
    ///
    /// The same as that of any `StringProtocol`, but faster.
    @inlinable
    package func hasSameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        var (first, second) = (self, other)
        return first.withUTF8 { first in second.withUTF8 { areSameBytes(first, $0) } }
    }
}

extension StringProtocol {
    /// Whether this text and another are the same bytes of UTF-8; takes time in proportion to the shorter one.
    ///
    /// For received text, in place of `==`. That compares by Unicode normalisation: it takes time quadratic in the
    /// number of combining marks in a row, and finds texts of different bytes to be equal.
    @inlinable
    package func hasSameBytes(as other: some StringProtocol) -> Bool {
        let isSame = utf8.withContiguousStorageIfAvailable { first in
            other.utf8.withContiguousStorageIfAvailable { areSameBytes(first, $0) }
        }
        return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
    }

    /// Whether all bytes of this text are ASCII.
    @inlinable
    package var isASCII: Bool {
        utf8.withContiguousStorageIfAvailable { areASCII($0) } ?? utf8.allSatisfy { $0 < 0x80 }
    }

    /// Whether this text equals a lower-case ASCII word, compared case-insensitively, as in HTTP (RFC 9110 section
    /// 5.1).
    @inlinable
    package func isWord(_ word: StaticString) -> Bool {
        utf8.count == word.utf8CodeUnitCount && hasWordPrefix(word)
    }

    /// Whether this text begins with a lower-case ASCII word, compared case-insensitively.
    @inlinable
    package func hasWordPrefix(_ word: StaticString) -> Bool {
        word.withUTF8Buffer { word in
            utf8.withContiguousStorageIfAvailable { areSameLetters($0, word) }
                ?? utf8.starts(with: word) { $0.asciiLowercased == $1 }
        }
    }

    /// Whether this text begins with the bytes of another; in place of `hasPrefix` for received text.
    @inlinable
    package func hasBytePrefix(_ prefix: String) -> Bool {
        let isPrefix = utf8.withContiguousStorageIfAvailable { text in
            prefix.utf8.withContiguousStorageIfAvailable {
                areSameBytes(UnsafeBufferPointer(rebasing: text.prefix($0.count)), $0)
            }
        }
        return (isPrefix ?? nil) ?? utf8.starts(with: prefix.utf8)
    }

    /// Whether this text ends with the bytes of another; in place of `hasSuffix` for received text.
    @inlinable
    package func hasByteSuffix(_ suffix: String) -> Bool { utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) }

    /// Whether this text contains the bytes of a text that the code defines; in place of `contains` for received text.
    ///
    /// - Parameter needle: A short text; the search takes time in proportion to the product of both lengths.
    /// - Returns: True when they occur as one contiguous run.
    @inlinable
    package func containsBytes(of needle: StaticString) -> Bool {
        needle.withUTF8Buffer { needle in
            guard let first = needle.first else { return true }
            var rest = utf8[...]
            while let start = rest.firstIndex(of: first) {
                rest = rest[start...]
                if rest.starts(with: needle) { return true }
                rest = rest.dropFirst()
            }
            return false
        }
    }

    /// The text with `A` to `Z` in lower case and every other byte unchanged; for names that are ASCII by their
    /// grammar, in place of `lowercased()`, which maps every character of Unicode.
    @inlinable
    package var asciiLowercased: String { String(decoding: utf8.map(\.asciiLowercased), as: UTF8.self) }

    /// The parts between separators, compared as bytes; in place of `split` for received text.
    ///
    /// - Parameters:
    ///   - separator: An ASCII character.
    ///   - maxSplits: The upper bound of the number of splits.
    ///   - omittingEmptySubsequences: Whether empty parts are left out.
    /// - Returns: The parts.
    @inlinable
    package func byteSplit(
        _ separator: Unicode.Scalar,
        maxSplits: Int = .max,
        omittingEmptySubsequences: Bool = true
    ) -> [SubSequence] {
        utf8.split(
            separator: UInt8(ascii: separator),
            maxSplits: maxSplits,
            omittingEmptySubsequences: omittingEmptySubsequences
        ).map { self[$0.startIndex..<$0.endIndex] }
    }
}

extension Substring {
    /// The text without spaces and tabs at either end, as lists in headers may have them (RFC 9110 section 5.6.3).
    @inlinable
    package var trimmingBlanks: Substring {
        let start = utf8.drop { $0 == 0x20 || $0 == 0x09 }
        guard let last = start.lastIndex(where: { $0 != 0x20 && $0 != 0x09 }) else { return "" }
        return self[start.startIndex...last]
    }
}

extension UInt8 {
    /// The byte, with `A` to `Z` in lower case.
    @inlinable
    package var asciiLowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}
