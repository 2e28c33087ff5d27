/// The limit that kept a caller from a place.
enum PlaceRefusal: Error {
    /// All places are taken.
    case full
    /// The caller's address holds its share.
    case address
    /// The caller's brand holds its share.
    case brand
}
