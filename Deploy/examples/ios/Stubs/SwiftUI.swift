// swift-format-ignore-file
@_exported import Foundation
import UIKit

// Combine, which SwiftUI exports.

public protocol ObservableObject: AnyObject {}

@propertyWrapper
public struct Published<Value> {
    public var wrappedValue: Value
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
    public var projectedValue: Published<Value> { self }
}

// Views.

@MainActor
@preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    public var body: Never { return fatalError("a view without a body") }
}

extension Optional: View where Wrapped: View {
    public var body: Never { return fatalError("a view without a body") }
}

@resultBuilder
public enum ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<First: View, Second: View, each Rest: View>(
        _ first: First,
        _ second: Second,
        _ rest: repeat each Rest
    ) -> Group { Group() }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<Content: View>(first: Content) -> Group { Group() }
    public static func buildEither<Content: View>(second: Content) -> Group { Group() }
}

/// Views whose type does not matter here.
public struct Group: View {
    nonisolated init() {}
    public var body: Never { return fatalError("a view without a body") }
}

public struct Text: View {
    public init<S: StringProtocol>(_ content: S) {}
    public var body: Never { return fatalError("a view without a body") }
}

public struct Button: View {
    public init<S: StringProtocol>(_ title: S, action: @escaping @MainActor () -> Void) {}
    public var body: Never { return fatalError("a view without a body") }
}

public struct TextField: View {
    public init<S: StringProtocol>(_ title: S, text: Binding<String>) {}
    public var body: Never { return fatalError("a view without a body") }
}

public struct VStack: View {
    public init<Content: View>(@ViewBuilder content: () -> Content) {}
    public var body: Never { return fatalError("a view without a body") }
}

public struct HStack: View {
    public init<Content: View>(@ViewBuilder content: () -> Content) {}
    public var body: Never { return fatalError("a view without a body") }
}

public struct NavigationStack: View {
    public init<Root: View>(@ViewBuilder root: () -> Root) {}
    public var body: Never { return fatalError("a view without a body") }
}

public struct List: View {
    public init<Content: View>(@ViewBuilder content: () -> Content) {}
    public init<Data: RandomAccessCollection, Row: View>(_ data: Data, @ViewBuilder rowContent: @escaping (Data.Element) -> Row)
    where Data.Element: Identifiable {}
    public var body: Never { return fatalError("a view without a body") }
}

public struct ScrollViewReader: View {
    public init<Content: View>(@ViewBuilder content: @escaping (ScrollViewProxy) -> Content) {}
    public var body: Never { return fatalError("a view without a body") }
}

public struct ScrollViewProxy {
    @MainActor
    public func scrollTo<ID: Hashable>(_ id: ID, anchor: UnitPoint? = nil) {}
}

public struct UnitPoint: Hashable, Sendable {
    public static let bottom = UnitPoint()
}

public struct Alignment: Sendable {
    public static let leading = Alignment()
    public static let trailing = Alignment()
}

@MainActor
extension View {
    public func badge(_ count: Int) -> some View { Group() }
    public func disabled(_ disabled: Bool) -> some View { Group() }
    public func padding(_ length: CGFloat? = nil) -> some View { Group() }
    public func frame(maxWidth: CGFloat? = nil, alignment: Alignment) -> some View { Group() }
    public func navigationTitle<S: StringProtocol>(_ title: S) -> some View { Group() }
    public func navigationDestination<V: View>(
        isPresented: Binding<Bool>,
        @ViewBuilder destination: () -> V
    ) -> some View { Group() }
    public func environmentObject<T: ObservableObject>(_ object: T) -> some View { Group() }
    public func onChange<V: Equatable>(of value: V, perform action: @escaping (V) -> Void) -> some View { Group() }
    public func task<T: Equatable>(
        id value: T,
        priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
    ) -> some View { Group() }
}

// State.

@propertyWrapper
public struct Binding<Value> {
    public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {}
    public var wrappedValue: Value {
        get { fatalError("a stub") }
        nonmutating set {}
    }
}

@propertyWrapper
public struct State<Value> {
    public init(wrappedValue value: Value) {}
    public var wrappedValue: Value {
        get { fatalError("a stub") }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { fatalError("a stub") }
}

@MainActor
@propertyWrapper
public struct EnvironmentObject<ObjectType: ObservableObject> {
    @MainActor
    @dynamicMemberLookup
    public struct Wrapper {
        public subscript<T>(dynamicMember member: ReferenceWritableKeyPath<ObjectType, T>) -> Binding<T> {
            fatalError("a stub")
        }
    }

    public nonisolated init() {}
    public var wrappedValue: ObjectType { fatalError("a stub") }
    public var projectedValue: Wrapper { Wrapper() }
}

public struct EnvironmentValues {
    public var scenePhase: ScenePhase { .active }
}

public enum ScenePhase: Comparable, Sendable {
    case background
    case inactive
    case active
}

@propertyWrapper
public struct Environment<Value> {
    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {}
    public var wrappedValue: Value { fatalError("a stub") }
}

// The app.

@MainActor
@preconcurrency
public protocol Scene {}

@resultBuilder
public enum SceneBuilder {
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

public struct WindowGroup: Scene {
    public init<Content: View>(@ViewBuilder content: () -> Content) {}
}

@MainActor
@preconcurrency
public protocol App {
    associatedtype Body: Scene
    @SceneBuilder var body: Body { get }
    init()
}

extension App {
    public static func main() {}
}

@MainActor
@propertyWrapper
public struct UIApplicationDelegateAdaptor<DelegateType: NSObject & UIApplicationDelegate> {
    public init(_ delegateType: DelegateType.Type = DelegateType.self) {}
    public var wrappedValue: DelegateType { fatalError("a stub") }
}
