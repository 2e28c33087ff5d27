/// A reader of foreign bytes that is fed with whatever a fuzzer finds, and checked by something that does not share its
/// code.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// The C++ reader of events, in buffers without a spare byte, against the strict JSON reader.
    case eventReader = "event-reader"
    /// The strict JSON reader, with texts of up to 1 MiB.
    case strictJSON = "strict-json"
    /// The readers of PEM and PKCS#12, with the derivations that OpenSSL really does counted.
    case keyFiles = "key-files"

    /// Feeds one input.
    ///
    /// - Parameter input: The bytes, of any length.
    /// - Returns: What did not hold; nil when everything did.
    package func failure(on input: UnsafeRawBufferPointer) -> String? {
        switch self {
        case .eventReader: EventReaderCheck.failure(on: input)
        case .strictJSON: StrictJSONCheck.failure(on: input)
        case .keyFiles: KeyFileCheck.failure(on: input)
        }
    }
}
