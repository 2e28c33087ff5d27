internal import TextFormats

/// Makes a payload fit its provider's limit in these steps: leave out the ``Extras`` one by one, truncate the text,
/// then leave `data` out and truncate again, then a bare push.
package enum TextFitting {
    /// The members that are left out first, and without a mark: the others carry nearly the same (R194).
    enum Extras: CaseIterable {
        /// The text once more, and the agent.
        case textAndAgent
        /// The agent.
        case agent
        /// Neither.
        case none
    }

    /// The parameters for rendering a payload.
    struct Fit {
        /// The text, or the part of it that fits.
        var text: Substring
        /// Whether the text is truncated and ends with an ellipsis.
        var isCut: Bool
        /// The extra members that are included.
        var extras: Extras
        /// Whether the event's `data` is included.
        var includesData: Bool
        /// Whether the payload marks that something is missing.
        var isTruncated: Bool
    }

    /// The fewest characters of a truncated text.
    static let minCharacters = 100

    /// U+2026 in UTF-8.
    private static let ellipsisBytes = 3

    /// Renders within a limit.
    ///
    /// - Parameters:
    ///   - limit: The most bytes of a rendering.
    ///   - text: The whole text.
    ///   - dataBytes: The length of `data`, nil when there is none.
    ///   - copies: How many times the payload carries the text when it has no extras.
    ///   - render: Renders the payload with the given parameters.
    ///   - bare: Renders the payload that always fits.
    /// - Returns: The best rendering within the limit.
    static func body(
        limit: Int,
        text: String,
        dataBytes: Int?,
        copies: Int,
        render: (Fit) -> [UInt8],
        bare: () -> [UInt8]
    ) -> [UInt8] {
        let whole = text[...]
        let textBytes = whole.utf8.count
        if textBytes + (dataBytes ?? 0) <= limit {
            for extras in Extras.allCases {
                let fit = Fit(text: whole, isCut: false, extras: extras, includesData: true, isTruncated: false)
                let body = render(fit)
                if body.count <= limit { return body }
            }
        }
        for includesData in [true, false] {
            if includesData, dataBytes ?? .max > limit { continue }
            let empty = render(
                Fit(text: "", isCut: false, extras: .none, includesData: includesData, isTruncated: true)
            )
            let budget = (limit - empty.count) / copies
            guard budget > 0 else { continue }
            if let part = longestPrefix(of: whole, escapedBytes: budget) {
                return render(
                    Fit(
                        text: part,
                        isCut: part.endIndex != whole.endIndex,
                        extras: .none,
                        includesData: includesData,
                        isTruncated: true
                    )
                )
            }
        }
        return bare()
    }

    /// Returns the whole text if it fits, else the longest prefix of whole characters that fits with an ellipsis; nil
    /// when that would be fewer than ``minCharacters``.
    static func longestPrefix(of text: Substring, escapedBytes budget: Int) -> Substring? {
        if text.isEmpty { return text }
        // A byte needs at least one byte, so text beyond the budget need not be read: one character can be as long as
        // the whole text. A character that the window's end splits is never kept: with the ellipsis it is over the
        // budget.
        let window = scalarPrefix(of: text, bytes: budget + 1)
        var position = window.startIndex
        var end: Substring.Index?
        var used = 0
        var characters = 0
        while position != window.endIndex {
            let next = window.index(after: position)
            for byte in window[position..<next].utf8 { used += JSONWriter.escapedCount(byte) }
            if used > budget { break }
            characters += 1
            position = next
            if used + ellipsisBytes <= budget, characters >= minCharacters { end = position }
            if position == text.endIndex { return text }
        }
        guard let end else { return nil }
        return text[..<end]
    }

    /// Returns the prefix of a text that fits into a JSON string with an ellipsis after it; takes time in proportion to
    /// the budget.
    ///
    /// - Parameters:
    ///   - text: The whole text.
    ///   - budget: The most bytes of prefix and ellipsis with their escapes.
    /// - Returns: The whole text if it fits; else whole characters, or whole scalars where few characters fit.
    package static func prefix(of text: String, escapedBytes budget: Int) -> Substring {
        if let part = longestPrefix(of: text[...], escapedBytes: budget) { return part }
        var left = budget - ellipsisBytes
        let end = text.unicodeScalars.firstIndex { scalar in
            left -= UTF8.width(scalar) == 1 ? JSONWriter.escapedCount(UInt8(scalar.value)) : UTF8.width(scalar)
            return left < 0
        }
        return text[..<(end ?? text.endIndex)]
    }

    /// Returns a prefix of at most that many bytes, without a partial scalar at the end.
    private static func scalarPrefix(of text: Substring, bytes: Int) -> Substring {
        guard text.utf8.count > bytes else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: bytes)
        while end > text.startIndex, text.utf8[end] & 0xC0 == 0x80 { end = text.utf8.index(before: end) }
        return text[..<end]
    }
}
