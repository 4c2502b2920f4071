// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// The studio's light, in GLSL. A picture is the mean of several passes. Each moves the camera by a part of a pixel and
/// takes other points of the key light's area and other directions of the sky, all with shadow maps: the mean has smooth
/// edges, soft shadows and ambient occlusion, and translucent surfaces need no sorting.

/// Shadow look-up and the lights of a pass.
const lights = /* glsl */ `
uniform mat4 keyMatrix[KEYS], skyMatrix[SKIES];
uniform highp sampler2D keyDepth, skyDepth;
uniform vec3 keyDirection[KEYS], skyDirection[SKIES];
uniform float skyWeight[SKIES];
uniform float shadowBias;

const vec3 kKey = vec3(1.0, 0.965, 0.915) * 2.05;
const vec3 kSky = vec3(0.93, 0.965, 1.0) * 0.95;
const vec3 kGround = vec3(0.60, 0.57, 0.54) * 0.62;
const vec3 kRim = vec3(0.86, 0.93, 1.0) * 1.25;

// Whether a light reaches a point, by its tile of the shadow maps, count in all.
float lit(highp sampler2D map, mat4 matrix, int light, int count, vec3 p) {
  vec3 q = (matrix * vec4(p, 1.0)).xyz * 0.5 + 0.5;
  if (any(greaterThan(abs(q.xy - 0.5), vec2(0.5)))) return 1.0;
  ivec2 size = textureSize(map, 0) / ivec2(count > 1 ? 2 : 1, count > 2 ? 2 : 1);
  ivec2 at = min(ivec2(q.xy * vec2(size)), size - 1) + size * ivec2(light % 2, light / 2);
  return texelFetch(map, at, 0).r + shadowBias < q.z ? 0.0 : 1.0;
}
float keyLit(int light, vec3 p) { return lit(keyDepth, keyMatrix[light], light, KEYS, p); }
float skyLit(int light, vec3 p) { return lit(skyDepth, skyMatrix[light], light, SKIES, p); }
`;

/// A share of [0, 1) for this pixel in this pass, even over the passes: what stands for opacity below 1.
const dither = /* glsl */ `
uniform float passShare;
float threshold(float salt) {
  float noise = fract(52.9829189 * fract(dot(floor(gl_FragCoord.xy) + salt * 17.0, vec2(0.06711056, 0.00583715))));
  return fract(passShare + noise);
}
`;

export const surfaceVertex = /* glsl */ `
in vec4 tint;
in float field;
out vec3 vPosition, vNormal;
out vec2 vUv;
out vec4 vTint;
out float vField;
invariant gl_Position;
void main() {
  vPosition = position;
  vNormal = normal;
  vUv = uv;
  vTint = tint;
  vField = field;
  gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
}
`;

/// Opacity of a fragment; the same in colour and shadow passes.
const opacity = /* glsl */ `
uniform vec4 color;
uniform float cutoff, salt;
in vec2 vUv;
in vec4 vTint;
#ifdef MAP
uniform sampler2D map;
#endif
vec4 albedo() {
  vec4 c = color * vTint;
#ifdef MAP
  c *= texture(map, vUv);
#endif
  return c;
}
void cut(float alpha) {
#ifdef MASK
  if (alpha < cutoff) discard;
#endif
#ifdef BLEND
  if (alpha <= threshold(salt)) discard;
#endif
}
`;

export const depthFragment = /* glsl */ dither + opacity + /* glsl */ `
layout(location = 0) out vec4 result;
void main() {
  cut(albedo().a);
  result = vec4(1.0);
}
`;

/// Shadows of opaque surfaces need nothing but places.
export const plainDepthVertex = /* glsl */ `
invariant gl_Position;
void main() {
  gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
}
`;

export const plainDepthFragment = /* glsl */ `
layout(location = 0) out vec4 result;
void main() {
  result = vec4(1.0);
}
`;

/// From nothing over blue, green and yellow to red; grey where there is exactly nothing.
const ramp = /* glsl */ `
vec3 heat(float t) {
  t = clamp(t, 0.0, 1.0);
  vec3 c = mix(vec3(0.045, 0.075, 0.33), vec3(0.02, 0.33, 0.62), smoothstep(0.0, 0.25, t));
  c = mix(c, vec3(0.05, 0.56, 0.22), smoothstep(0.25, 0.5, t));
  c = mix(c, vec3(0.95, 0.72, 0.05), smoothstep(0.5, 0.75, t));
  return mix(c, vec3(0.85, 0.045, 0.03), smoothstep(0.75, 1.0, t));
}
`;

export const surfaceFragment = /* glsl */ lights + dither + opacity + ramp + /* glsl */ `
layout(location = 0) out vec4 result;
uniform highp sampler2D firstDepth;
in vec3 vPosition, vNormal;
in float vField;
uniform float metallic, roughness, normalOffset;
uniform vec3 emissive;
#ifdef NORMAL_MAP
uniform sampler2D normalMap;
#endif
#ifdef EMISSIVE_MAP
uniform sampler2D emissiveMap;
#endif

// A large soft box overhead, a window at the left, a bright horizon: what smooth surfaces mirror.
vec3 studio(vec3 r, float rough) {
  float soft = mix(0.08, 0.75, rough);
  vec3 c = mix(kGround * 0.55, kSky * 0.62, smoothstep(-soft, soft + 0.25, r.y));
  float box = smoothstep(0.72 - soft, 0.72 + soft, dot(r, normalize(vec3(0.25, 0.9, 0.35))));
  float window = smoothstep(0.80 - soft, 0.80 + soft, dot(r, normalize(vec3(-0.85, 0.25, 0.5))));
  return c + box * 1.2 + window * 0.75 * vec3(0.9, 0.96, 1.0);
}

// Schlick's Fresnel and the split-sum term in the polynomial form known from mobile engines.
vec3 mirror(vec3 f0, float rough, float nv) {
  vec4 r = rough * vec4(-1.0, -0.0275, -0.572, 0.022) + vec4(1.0, 0.0425, 1.04, -0.04);
  float a = min(r.x * r.x, exp2(-9.28 * nv)) * r.x + r.y;
  vec2 ab = vec2(-1.04, 1.04) * a + r.zw;
  return f0 * ab.x + ab.y;
}

vec3 glint(vec3 n, vec3 v, vec3 l, vec3 f0, float rough) {
  vec3 h = normalize(l + v);
  float nl = max(dot(n, l), 0.0), nv = max(dot(n, v), 1e-3), nh = max(dot(n, h), 0.0);
  float a = max(rough, 0.2) * max(rough, 0.2), a2 = a * a;
  float d = nh * nh * (a2 - 1.0) + 1.0;
  float visible = 0.5 / (nl * sqrt(nv * nv * (1.0 - a2) + a2) + nv * sqrt(nl * nl * (1.0 - a2) + a2) + 1e-4);
  float away = 1.0 - max(dot(h, v), 0.0), away2 = away * away;
  vec3 f = f0 + (1.0 - f0) * (away2 * away2 * away);
  return f * (a2 / (3.14159265 * d * d)) * visible * nl;
}

vec3 bent(vec3 n) {
#ifdef NORMAL_MAP
  vec3 dx = dFdx(vPosition), dy = dFdy(vPosition);
  vec2 ux = dFdx(vUv), uy = dFdy(vUv);
  vec3 px = cross(dy, n), py = cross(n, dx);
  vec3 t = px * ux.x + py * uy.x, b = px * ux.y + py * uy.y;
  float scale = max(dot(t, t), dot(b, b));
  if (scale > 0.0) {
    vec3 m = texture(normalMap, vUv).xyz * 2.0 - 1.0;
    // The texture's v grows downwards, its green channel upwards.
    return normalize((t * m.x - b * m.y) * inversesqrt(scale) + n * max(m.z, 1e-3));
  }
#endif
  return n;
}

vec4 shaded() {
  vec4 base = albedo();
  cut(base.a);
  vec3 v = normalize(cameraPosition - vPosition);
  vec3 n = normalize(vNormal);
  vec3 facet = cross(dFdx(vPosition), dFdy(vPosition));
  if (dot(n, n) < 0.5) n = normalize(facet);
  bool inside = !gl_FrontFacing;
  if (inside) n = -n;
  n = bent(n);
  // Smooth normals at the outline may look away from the eye.
  n = normalize(n + v * max(0.0, 0.02 - dot(n, v)));

  vec3 c = base.rgb;
  float rough = clamp(roughness, 0.08, 1.0);
  float metal = metallic;
#ifdef CLAY
  if (inside) c *= vec3(0.42, 0.36, 0.34);
#endif
#ifdef FIELD
  c = vField > 0.0 ? mix(vec3(0.36, 0.37, 0.40), heat(vField), smoothstep(0.0, 0.02, vField)) : vec3(0.36, 0.37, 0.40);
  rough = 0.75;
  metal = 0.0;
#endif
  vec3 p = vPosition + n * normalOffset;
  vec3 f0 = mix(vec3(0.04), c, metal);
  vec3 body = c * (1.0 - metal);

  float key = 0.0, sky = 0.0, open = 0.0;
  vec3 toKey = vec3(0.0);
  for (int i = 0; i < KEYS; ++i) {
    float nk = dot(n, keyDirection[i]);
    if (nk > 0.0 && keyLit(i, p) > 0.0) {
      key += nk;
      toKey += keyDirection[i];
    }
  }
  for (int i = 0; i < SKIES; ++i) {
    float ns = dot(n, skyDirection[i]);
    float seen = ns > 0.0 ? skyLit(i, p) : 1.0;
    sky += skyWeight[i] * max(ns, 0.0) * seen;
    open += seen;
  }
  // The key lights of a pass are close together: one highlight stands for those that are seen.
  float keys = length(toKey);
  vec3 shine = keys > 0.0 ? glint(n, v, toKey / keys, f0, rough) * (keys / float(KEYS)) : vec3(0.0);
  key /= float(KEYS), sky /= float(SKIES), open /= float(SKIES);

  vec3 rimDirection = normalize(vec3(viewMatrix[0][0], viewMatrix[1][0], viewMatrix[2][0]) * -0.75
    + vec3(0.0, 0.45, 0.0) - vec3(viewMatrix[0][2], viewMatrix[1][2], viewMatrix[2][2]) * 0.75);
  float edge = 1.0 - max(dot(n, v), 0.0);
  edge *= edge * edge;
  float rim = max(dot(n, rimDirection), 0.0) * (0.35 + 0.65 * edge) * open;

  // The mean of 4·n·l over all directions is 1, so this is the sky's light on a surface that sees all of it.
  vec3 light = kKey * key + kSky * 4.0 * sky * 0.5
    + kGround * (0.5 - 0.5 * n.y) * mix(0.55, 1.0, open) + kRim * rim * 0.8;
  vec3 shade = body * light * 0.62;
  shade += mirror(f0, rough, max(dot(n, v), 0.0)) * studio(reflect(-v, n), rough) * open;
  shade += shine * kKey * 0.8 + glint(n, v, rimDirection, f0, rough) * kRim * open * 0.5;
#ifdef FIELD
  shade = mix(shade, c * 0.95, 0.35);
#else
  vec3 glow = emissive;
#ifdef EMISSIVE_MAP
  glow *= texture(emissiveMap, vUv).rgb;
#endif
  shade += glow;
#endif
  return vec4(shade, 1.0);
}

// Software tests the depth of a fragment after its colour is known. Most characters have surfaces behind others, often
// several, whose colours would be computed for nothing.
void main() {
  result = vec4(0.0);
  if (gl_FragCoord.z <= texelFetch(firstDepth, ivec2(gl_FragCoord.xy), 0).r + 2e-6) result = shaded();
  else discard;
}
`;

/// Lines as strips of even width on the screen; every line is one instance.
export const lineVertex = /* glsl */ `
in vec3 head, tail;
uniform vec2 viewport;
uniform float width, lift;
out float across;
void main() {
  vec4 a = viewMatrix * vec4(head, 1.0), b = viewMatrix * vec4(tail, 1.0);
  a.xyz *= 1.0 - lift;
  b.xyz *= 1.0 - lift;
  vec4 p = projectionMatrix * a, q = projectionMatrix * b;
  vec2 d = (q.xy / q.w - p.xy / p.w) * viewport;
  d = length(d) > 1e-6 ? normalize(d) : vec2(1.0, 0.0);
  vec4 r = position.x < 0.5 ? p : q;
  vec2 push = (vec2(-d.y, d.x) * position.y + d * (position.x - 0.5)) * width;
  r.xy += push / viewport * r.w;
  across = position.y;
  gl_Position = r;
}
`;

export const lineFragment = /* glsl */ dither + /* glsl */ `
layout(location = 0) out vec4 result;
uniform vec4 color;
in float across;
void main() {
  if (color.a <= threshold(3.0)) discard;
  result = vec4(color.rgb, 1.0);
}
`;

/// Round dots of even size on the screen.
export const dotVertex = /* glsl */ `
in vec4 tint;
in float radius;
out vec4 vTint;
void main() {
  vTint = tint;
  gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
  gl_PointSize = 2.0 * radius;
}
`;

export const dotFragment = /* glsl */ dither + /* glsl */ `
layout(location = 0) out vec4 result;
in vec4 vTint;
void main() {
  vec2 q = gl_PointCoord * 2.0 - 1.0;
  float r = dot(q, q);
  if (r > 1.0 || vTint.a <= threshold(5.0)) discard;
  float bright = 0.75 + 0.45 * sqrt(1.0 - r) - 0.12 * (q.x + q.y);
  result = vec4(r > 0.62 ? vTint.rgb * 0.22 : vTint.rgb * bright, 1.0);
}
`;

/// Flat solids that are always seen: bones, triangles of overlays.
export const solidVertex = /* glsl */ `
in vec4 tint;
out vec4 vTint;
out vec3 vView;
void main() {
  vTint = tint;
  vec4 p = viewMatrix * vec4(position, 1.0);
  vView = p.xyz;
  gl_Position = projectionMatrix * p;
}
`;

export const solidFragment = /* glsl */ dither + /* glsl */ `
layout(location = 0) out vec4 result;
in vec4 vTint;
in vec3 vView;
void main() {
  if (vTint.a <= threshold(7.0)) discard;
  vec3 n = normalize(cross(dFdx(vView), dFdy(vView)));
  float shade = 0.42 + 0.62 * max(dot(n, normalize(vec3(-0.45, 0.65, 0.62))), 0.0) + 0.18 * abs(n.z);
  result = vec4(vTint.rgb * shade, 1.0);
}
`;

export const screenVertex = /* glsl */ `
out vec2 vUv;
void main() {
  vUv = position.xy * 0.5 + 0.5;
  gl_Position = vec4(position.xy, 0.0, 1.0);
}
`;

/// Adds one pass to the sum.
export const addFragment = /* glsl */ `
layout(location = 0) out vec4 sum;
in vec2 vUv;
uniform sampler2D frame;
uniform float share;
void main() {
  sum = texture(frame, vUv) * share;
}
`;

/// What the character takes of the light of the ground in one pass, on a square of the ground.
export const groundFragment = /* glsl */ lights + /* glsl */ `
layout(location = 0) out vec4 sum;
in vec2 vUv;
uniform float share, ground, groundLight, reach;
void main() {
  vec3 p = vec3((vUv.x * 2.0 - 1.0) * reach, ground, (vUv.y * 2.0 - 1.0) * reach);
  float taken = 0.0;
  for (int i = 0; i < KEYS; ++i) taken += keyDirection[i].y * 0.75 * (1.0 - keyLit(i, p)) / float(KEYS);
  for (int i = 0; i < SKIES; ++i) taken += skyWeight[i] * 1.25 * max(skyDirection[i].y, 0.0) * (1.0 - skyLit(i, p)) / float(SKIES);
  sum = vec4(share * taken / groundLight);
}
`;

/// One half of a Gaussian blur.
export const blurFragment = /* glsl */ `
layout(location = 0) out vec4 result;
in vec2 vUv;
uniform sampler2D source;
uniform vec2 spread;
void main() {
  float sum = 0.0, weights = 0.0;
  for (int i = -8; i <= 8; ++i) {
    float x = float(i) / 8.0, w = exp(-4.0 * x * x);
    sum += w * texture(source, vUv + spread * x).r;
    weights += w;
  }
  result = vec4(sum / weights);
}
`;

/// From light to what a screen shows: Khronos' neutral curve, which keeps base colours as they are and bends only the
/// highlights, then the background behind it.
export const showFragment = /* glsl */ `
layout(location = 0) out vec4 result;
in vec2 vUv;
uniform sampler2D sumColor, sharpShadow, softShadow;
uniform vec3 backgroundTop, backgroundLow, eye;
uniform vec4 part;  // Of the whole picture: left, low, width, height.
uniform float backgroundAlpha, aspect, ground, reach;
uniform mat4 toWorld;

// Near the feet the shadow is sharp, where it is faint it is soft, as those of large lights are.
float groundShadow() {
  vec4 far = toWorld * vec4(vUv * 2.0 - 1.0, 1.0, 1.0);
  vec3 d = far.xyz / far.w - eye;
  float t = (ground - eye.y) / d.y;
  if (d.y > -1e-6 || t <= 0.0) return 0.0;
  vec2 p = (eye + d * t).xz / reach;
  float fade = 1.0 - smoothstep(0.45, 0.98, length(p));
  if (fade <= 0.0) return 0.0;
  float sharp = texture(sharpShadow, p * 0.5 + 0.5).r, soft = texture(softShadow, p * 0.5 + 0.5).r;
  return fade * mix(soft, sharp, smoothstep(0.08, 0.42, sharp));
}

vec3 neutral(vec3 c) {
  const float start = 0.76, desaturation = 0.15;
  float low = min(c.r, min(c.g, c.b));
  c -= low < 0.08 ? low - 6.25 * low * low : 0.04;
  float peak = max(c.r, max(c.g, c.b));
  if (peak < start) return c;
  const float d = 1.0 - start;
  float bent = 1.0 - d * d / (peak + d - start);
  c *= bent / peak;
  return mix(c, vec3(bent), 1.0 - 1.0 / (desaturation * (peak - bent) + 1.0));
}

vec3 encode(vec3 c) {
  c = clamp(c, 0.0, 1.0);
  return mix(c * 12.92, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c));
}

void main() {
  vec4 c = texture(sumColor, vUv);
  vec3 shown = c.a > 0.0 ? neutral(c.rgb / c.a) : vec3(0.0);
  vec2 q = (part.xy + vUv * part.zw - vec2(0.5, 0.55)) * vec2(min(aspect, 1.6), 1.0);
  vec3 back = mix(backgroundTop, backgroundLow, smoothstep(0.05, 0.85, length(q)));
  float taken = clamp(groundShadow(), 0.0, 1.0);
  // In a grid no shadow ends at the border of its cell.
  if (part.z < 1.0) {
    taken = max(taken - 0.06, 0.0) / 0.94;
    taken *= smoothstep(0.0, 0.22, min(vUv.x, 1.0 - vUv.x)) * smoothstep(0.04, 0.18, vUv.y);
  }
  float shadow = 0.6 * taken + 0.3 * smoothstep(0.1, 0.9, taken);
  float alpha = mix(c.a + (1.0 - c.a) * shadow, 1.0, backgroundAlpha);
  vec3 mixed = shown * c.a + back * (1.0 - shadow) * (1.0 - c.a) * backgroundAlpha;
  result = vec4(encode(mixed / max(alpha, 1e-4)), alpha);
}
`;
