internal import TextFormats

/// A block of the textual encoding of RFC 7468.
struct PEM: Sendable {
    private static let begin = "-----BEGIN "
    private static let end = "-----END "
    private static let dashes = "-----"
    private static let lineLength = 64

    let label: BoundedName
    let der: [UInt8]

    /// Returns the content of a text with exactly one block, which must have one of the labels; text before and after it
    /// is ignored (RFC 7468 section 2).
    static func der(of text: String, labelled labels: BoundedName...) throws(CryptographyError) -> [UInt8] {
        let blocks = try blocks(of: text)
        guard blocks.count == 1 else { throw .invalidEncoding }
        guard labels.contains(blocks[0].label) else { throw .invalidKey }
        return blocks[0].der
    }

    /// Returns the content of the first block of a text whose label is wanted.
    static func firstBlock(of text: String, where isWanted: (String) -> Bool) throws(CryptographyError) -> [UInt8] {
        guard let block = try blocks(of: text).first(where: { isWanted($0.label.text) }) else { throw .invalidEncoding }
        return block.der
    }

    /// Parses all blocks of a text; throws for one that does not end as it began, and for one whose content is not
    /// canonical base64, as that of an encrypted key with headers (RFC 1421 section 4.6).
    static func blocks(of text: String) throws(CryptographyError) -> [PEM] {
        var blocks: [PEM] = []
        var open: (label: BoundedName, content: [UInt8])?
        // As bytes: the text may be any.
        for line in text.utf8.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).map(\.trimmedEnd) {
            guard let block = open else {
                if line.starts(with: begin.utf8), line.hasSuffix(dashes),
                    line.count > begin.utf8.count + dashes.utf8.count
                {
                    let text = line.dropFirst(begin.utf8.count).dropLast(dashes.utf8.count)
                    guard let label = BoundedName(Substring(text)) else { throw .invalidEncoding }
                    open = (label, [])
                }
                continue
            }
            if line.starts(with: dashes.utf8) {
                guard line.elementsEqual((end + block.label.text + dashes).utf8),
                    let der = StrictBase64.decode(block.content, .standard)
                else { throw .invalidEncoding }
                blocks.append(PEM(label: block.label, der: der))
                open = nil
            } else {
                open?.content.append(contentsOf: line)
            }
        }
        guard open == nil else { throw .invalidEncoding }
        return blocks
    }

    /// The text, without a newline at its end.
    var text: String {
        let base64 = Array(StrictBase64.encode(der, .standard).utf8)
        let lines = stride(from: 0, to: base64.count, by: Self.lineLength).map { start in
            String(decoding: base64[start..<min(start + Self.lineLength, base64.count)], as: UTF8.self)
        }
        let (first, last) = (Self.begin + label.text + Self.dashes, Self.end + label.text + Self.dashes)
        return ([first] + lines + [last]).joined(separator: "\n")
    }
}

extension Substring.UTF8View {
    /// The text without spaces and tabs at its end.
    fileprivate var trimmedEnd: Substring.UTF8View {
        var text = self
        while text.last == 0x20 || text.last == 0x09 { text.removeLast() }
        return text
    }

    fileprivate func hasSuffix(_ other: String) -> Bool { suffix(other.utf8.count).elementsEqual(other.utf8) }
}
