// The part of dagre that the page uses.
interface Box { x: number; y: number; width: number; height: number }
export class Graph {
  constructor(options?: { multigraph?: boolean });
  setGraph(how: Record<string, unknown>): void;
  setDefaultEdgeLabel(make: () => object): void;
  setNode(id: string, label: { width: number; height: number }): void;
  setEdge(from: string, to: string): void;
  node(id: string): Box;
  edge(from: string, to: string): { points: { x: number; y: number }[] };
  graph(): { width: number; height: number };
}
declare const dagre: { graphlib: { Graph: typeof Graph }; layout(graph: Graph, options?: { disableOptimalOrderHeuristic?: boolean }): void };
export default dagre;
