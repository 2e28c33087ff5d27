/// The limit because of which a caller got no slot.
enum SlotRejection: Error {
    /// All slots are taken.
    case full
    /// The caller's address holds its share.
    case address
    /// The caller's brand holds its share.
    case brand
}
