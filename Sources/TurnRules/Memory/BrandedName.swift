#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The id of a consumer within a brand, or of a conversation within its consumer, as a key.
///
/// Compared by bytes, as the database does: Swift finds two texts that look alike equal, and one consumer would be
/// taken for another.
package struct BrandedName: Hashable {
    /// The number of the brand.
    package var brand: Int64
    /// The id of the consumer or conversation.
    package var id: String

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - brand: The number of the brand.
    ///   - id: The id of the consumer or conversation.
    package init(brand: Int64, id: String) {
        self.brand = brand
        self.id = id
    }

    package static func == (lhs: BrandedName, rhs: BrandedName) -> Bool {
        lhs.brand == rhs.brand && lhs.id.hasSameBytes(as: rhs.id)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(brand)
        // Texts that look alike share a hash, which only costs a comparison.
        hasher.combine(id)
    }
}

extension String {
    /// Whether both texts are the same bytes; much faster than comparing their views byte by byte.
    fileprivate func hasSameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let isSame = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable { others in
                guard let bytes = bytes.baseAddress, let others = others.baseAddress else { return true }
                return memcmp(bytes, others, utf8.count) == 0
            }
        }
        return isSame.flatMap { $0 } ?? utf8.elementsEqual(other.utf8)
    }
}
