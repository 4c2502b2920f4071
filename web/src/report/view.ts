// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// The scene of one character. All are seen by one camera, so that characters can be compared.

import * as THREE from 'three';
import type { Character } from './character';

export class View {
  readonly scene = new THREE.Scene();
  private readonly mark: THREE.Mesh;
  character: Character | null = null;

  constructor() {
    const light = new THREE.DirectionalLight(0xffffff, 2.2);
    light.position.set(2, 4, 3);
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x8890a0, 1.6), light);
    this.mark = new THREE.Mesh(
      new THREE.SphereGeometry(1, 24, 16),
      new THREE.MeshBasicMaterial({ color: 0xe01010, transparent: true, opacity: 0.35, depthTest: false }),
    );
    this.mark.visible = false;
    this.mark.renderOrder = 10;
    this.scene.add(this.mark);
  }

  set(character: Character) {
    this.character = character;
    character.addTo(this.scene);
    const size = character.box.getSize(new THREE.Vector3()).length();
    const step = 10 ** Math.round(Math.log10(Math.max(size, 1e-6) / 4));
    const grid = new THREE.GridHelper(20 * step, 20, 0x9aa3ad, 0xc9ced4);
    grid.position.y = character.box.min.y;
    this.scene.add(grid);
  }

  markAt(place: [number, number, number] | undefined, radius: number) {
    this.mark.visible = place !== undefined;
    if (!place) return;
    this.mark.position.set(...place);
    this.mark.scale.setScalar(radius);
  }
}
