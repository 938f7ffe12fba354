import type { Principal } from '../access/principal.ts';
import { allows } from '../access/roles.ts';
import { structureReader } from '../subscriptions/structure-reader.ts';
import type { RoutePlace, ServiceSpace } from './project/project-space.ts';
import type { ProjectStack } from './project/project-stack.ts';

/** A project, as far as those have to do with it who come in at the ports. */
export type SpaceStack = Pick<ProjectStack, 'reader' | 'space'>;

/** Those that there are. */
export interface SpaceStacks {
  /** @throws BoundaryError UNAVAILABLE, PERMISSION_DENIED where the project is not open */
  of(name: string): SpaceStack;
}

interface SpacesOfProject {
  readonly whole: ServiceSpace;
  /** Of those who may see, and not read. */
  readonly structure: ServiceSpace;
}

/** What anybody has to do with: one for each pair of project and level of detail, kept. */
export class Spaces {
  private readonly projects: SpaceStacks;
  private readonly place: RoutePlace;
  private readonly known = new WeakMap<SpaceStack, SpacesOfProject>();

  constructor(projects: SpaceStacks, place: RoutePlace) {
    this.projects = projects;
    this.place = place;
  }

  /** @throws BoundaryError UNAVAILABLE, PERMISSION_DENIED where the project is not open */
  of({ project, roles }: Principal): ServiceSpace {
    const stack = this.projects.of(project);
    const spaces = this.known.get(stack) ?? this.make(stack);
    return allows(roles, 'read') ? spaces.whole : spaces.structure;
  }

  private make(stack: SpaceStack): SpacesOfProject {
    const { reader } = stack;
    const spaces = {
      whole: stack.space(reader, this.place),
      structure: stack.space(structureReader(reader), this.place),
    };
    this.known.set(stack, spaces);
    return spaces;
  }
}
