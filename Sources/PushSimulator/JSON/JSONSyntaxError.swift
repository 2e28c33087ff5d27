/// Why a text is not JSON.
package struct JSONSyntaxError: Error, Equatable {
    /// What is wrong, without any of the text itself.
    package var reason: String
    /// The offset in bytes at which it was noticed.
    package var offset: Int
}
