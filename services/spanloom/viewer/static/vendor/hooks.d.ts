// The part of Preact's hooks that the page uses.
export interface Ref<T> { current: T }
export function useRef<T>(value: T): Ref<T>;
export function useEffect(run: () => void | (() => void), inputs?: unknown[]): void;
export function useLayoutEffect(run: () => void | (() => void), inputs?: unknown[]): void;
export function useMemo<T>(make: () => T, inputs: unknown[]): T;
export function useState<T>(first: T | (() => T)): [T, (next: T | ((before: T) => T)) => void];
