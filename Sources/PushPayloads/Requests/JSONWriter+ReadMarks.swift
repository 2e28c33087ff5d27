import GatewayModel
import TextFormats

extension JSONWriter {
    /// The most bytes of the marks of one push, counted as in a JSON string: the rest of a badge push is below 500
    /// bytes.
    ///
    /// The longest possible mark needs about 2,300, so one always fits.
    static var maxReadMarkBytes: Int { 3584 }

    /// Returns read positions of conversations as a JSON array: the first ones, as many as fit.
    static func text(of marks: [ReadMark]) -> [UInt8] {
        var text = JSONWriter(capacity: 128 * marks.count)
        text.literal("[")
        var room = maxReadMarkBytes
        for (index, mark) in marks.enumerated() {
            var piece = JSONWriter(capacity: 128)
            piece.literal(index > 0 ? ",{\"conversation\":" : "{\"conversation\":")
            piece.string(mark.conversation.rawValue)
            piece.literal(",\"upToSequence\":")
            piece.integer(mark.upToSequence)
            piece.literal(",\"messageIds\":[")
            for (index, id) in mark.messageIDs.enumerated() {
                piece.literal(index > 0 ? ",\"" : "\"")
                piece.identifier(id)
                piece.literal("\"")
            }
            piece.literal("]}")
            room -= piece.bytes.reduce(0) { $0 + escapedCount($1) }
            guard room >= 0 else { break }
            text.raw(piece.bytes)
        }
        text.literal("]")
        return text.bytes
    }
}
