// Where the parts of valid JSON text end.
extension RandomAccessCollection<UInt8> where Index == Int {
    /// Returns the position after the closing quotation mark of the string that begins at a position.
    func endOfJSONString(_ start: Int) -> Int {
        var position = start + 1
        while position < endIndex, self[position] != UInt8(ascii: "\"") {
            position += self[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        return Swift.min(position + 1, endIndex)
    }

    /// Returns the end of the value that begins at a position: that of what follows it, perhaps after white space.
    func endOfJSONValue(_ start: Int) -> Int {
        var (depth, position) = (0, start)
        while position < endIndex {
            switch self[position] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return position }
                depth -= 1
            case UInt8(ascii: ",") where depth == 0: return position
            case UInt8(ascii: "\""):
                position = endOfJSONString(position)
                continue
            default: break
            }
            position += 1
        }
        return position
    }
}
