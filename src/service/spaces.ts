import type { Principal } from '../access/principal.ts';
import { allows } from '../access/roles.ts';
import { structureReader } from '../subscriptions/structure-reader.ts';
import type { RoutePlace, ServiceSpace } from './project/project-space.ts';
import type { ProjectStack } from './project/project-stack.ts';
import type { Projects } from './project/projects.ts';

interface SpacesOfProject {
  readonly whole: ServiceSpace;
  /** Of those who may see, and not read. */
  readonly structure: ServiceSpace;
}

/** What anybody has to do with: one for each pair of project and level of detail, kept. */
export class Spaces {
  private readonly projects: Pick<Projects, 'of'>;
  private readonly place: RoutePlace;
  private readonly known = new WeakMap<ProjectStack, SpacesOfProject>();

  constructor(projects: Pick<Projects, 'of'>, place: RoutePlace) {
    this.projects = projects;
    this.place = place;
  }

  /** @throws BoundaryError UNAVAILABLE, PERMISSION_DENIED where the project is not open */
  of({ project, roles }: Principal): ServiceSpace {
    const stack = this.projects.of(project);
    const spaces = this.known.get(stack) ?? this.make(stack);
    return allows(roles, 'read') ? spaces.whole : spaces.structure;
  }

  private make(stack: ProjectStack): SpacesOfProject {
    const { reader } = stack;
    const spaces = {
      whole: stack.space(reader, this.place),
      structure: stack.space(structureReader(reader), this.place),
    };
    this.known.set(stack, spaces);
    return spaces;
  }
}
