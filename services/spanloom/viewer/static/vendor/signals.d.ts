// The part of the signals that the page uses.
export interface ReadonlySignal<T> { readonly value: T; peek(): T }
export interface Signal<T> { value: T; peek(): T; subscribe(run: (value: T) => void): () => void }
export function signal<T>(value: T): Signal<T>;
export function computed<T>(make: () => T): ReadonlySignal<T>;
export function effect(run: () => void | (() => void)): () => void;
export function batch<T>(run: () => T): T;
export function useSignal<T>(value: T): Signal<T>;
export function useComputed<T>(make: () => T): ReadonlySignal<T>;
