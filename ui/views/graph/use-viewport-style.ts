import { useEffect, useRef } from 'react';
import { useStoreApi } from '@xyflow/react';

/** Tells an element by CSS variables where the picture stands (`--x` and `--y` in pixels, `--zoom`), without drawing it again. */
export function useViewportStyle<Drawn extends HTMLElement>(): React.RefObject<Drawn | null> {
  const element = useRef<Drawn>(null);
  const flow = useStoreApi();
  useEffect(() => {
    let told: readonly number[] = [];
    const tell = ({ transform }: { readonly transform: readonly [number, number, number] }): void => {
      if (transform === told || !element.current) return;
      told = transform;
      const { style } = element.current;
      style.setProperty('--x', String(transform[0]));
      style.setProperty('--y', String(transform[1]));
      style.setProperty('--zoom', String(transform[2]));
    };
    tell(flow.getState());
    return flow.subscribe(tell);
  }, [flow]);
  return element;
}
