import type { ReactNode } from 'react';
import { FILTER_NAMES, filterValues, unknownValues, withoutFilter } from '../state/filters.ts';
import { useUrl } from '../state/url.ts';
import { FilterChip } from './filter-chip.tsx';

interface FilterChipsProps {
  /** Other names that the page's URL may have. */
  readonly ofThePage?: ReadonlySet<string>;
  /** After the chips. */
  readonly children?: ReactNode;
}

/** The filters in the URL, and what is none of them, each to be taken away. */
export function FilterChips({ ofThePage, children }: FilterChipsProps) {
  const { params, replaceAll } = useUrl();
  return (
    <span className="chips">
      {filterValues(params).map((filter) => (
        <FilterChip
          key={`${filter.name}=${filter.value}`}
          {...filter}
          label={FILTER_NAMES.find(({ name }) => name === filter.name)?.label ?? filter.name}
          onRemove={() => replaceAll(withoutFilter(params, filter))}
        />
      ))}
      {unknownValues(params, ofThePage).map((given) => (
        <FilterChip
          key={`${given.name}=${given.value}`}
          name={given.name}
          label="no filter"
          value={`${given.name}=${given.value}`}
          isRefused
          onRemove={() => replaceAll(withoutFilter(params, given))}
        />
      ))}
      {children}
    </span>
  );
}
