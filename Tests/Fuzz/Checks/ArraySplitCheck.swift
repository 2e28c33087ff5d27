internal import CSimdjson
internal import TextFormats

/// A check of the splitter of batches, which only looks at brackets and quotes, against the strict JSON reader.
enum ArraySplitCheck {
    /// - Parameters:
    ///   - text: The text, in any form.
    ///   - strict: The strict reader's result.
    /// - Returns: The failed check; nil for none.
    static func failure(
        on text: UnsafeRawBufferPointer,
        _ strict: Result<StrictJSON, StrictJSON.Rejection>
    ) -> String? {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: text.count, alignment: 1)
        defer { buffer.deallocate() }
        buffer.copyMemory(from: text)
        if let failure = lines(in: UnsafeRawBufferPointer(buffer)) { return failure }
        let elements = elements(of: UnsafeRawBufferPointer(buffer))
        guard case .success(.array(let items)) = strict else { return nil }
        guard let elements, elements.count == items.count else { return "an array is split into other elements" }
        for (element, item) in zip(elements, items) {
            // One level less without the array.
            guard (try? StrictJSON.parse(element, maxDepth: 63)) == item else { return "an element is another value" }
        }
        return nil
    }

    /// Returns the elements of an array; nil when it is malformed, or not an array.
    private static func elements(of buffer: UnsafeRawBufferPointer) -> [[UInt8]]? {
        guard let start = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return nil }
        let space: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
        guard let bracket = buffer.firstIndex(where: { !space.contains($0) }), buffer[bracket] == UInt8(ascii: "[")
        else { return nil }
        var at: UnsafePointer<UInt8>? = start + bracket + 1
        var item: UnsafePointer<UInt8>?
        var count = 0
        var elements: [[UInt8]] = []
        while true {
            switch event_next_element(&at, start + buffer.count, elements.isEmpty, &item, &count) {
            case EVENT_ELEMENT: elements.append(Array(UnsafeBufferPointer(start: item, count: count)))
            case EVENT_ARRAY_END: return elements
            default: return nil
            }
        }
    }

    /// Checks that no line is lost, and that none contains more than the text between two line ends.
    private static func lines(in buffer: UnsafeRawBufferPointer) -> String? {
        guard let start = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return nil }
        var at: UnsafePointer<UInt8>? = start
        var item: UnsafePointer<UInt8>?
        var count = 0
        var found: [[UInt8]] = []
        while event_next_line(&at, start + buffer.count, &item, &count) {
            found.append(Array(UnsafeBufferPointer(start: item, count: count)))
        }
        let space: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
        let expected = buffer.split(separator: 0x0A).map { line in
            let front = line.drop { space.contains($0) }
            return Array(front.prefix(upTo: (front.lastIndex { !space.contains($0) } ?? front.startIndex - 1) + 1))
        }
        return found == expected.filter { !$0.isEmpty } ? nil : "a text is split into other lines"
    }
}
